var Dn=2,Bn=1,ys=class{activate(e){this._terminal=e}dispose(){}fit(){let e=this.proposeDimensions();if(!e||!this._terminal||isNaN(e.cols)||isNaN(e.rows))return;
let t=this._terminal._core;(this._terminal.rows!==e.rows||this._terminal.cols!==e.cols)&&(t._renderService.clear(),this._terminal.resize(e.cols,e.rows))}proposeDimensions(){
if(!this._terminal||!this._terminal.element||!this._terminal.element.parentElement)return;let e=this._terminal._core._renderService.dimensions;if(e.css.cell.width===
0||e.css.cell.height===0)return;let t=this._terminal.options.scrollback===0?0:this._terminal.options.overviewRuler?.width||14,i=window.getComputedStyle(this._terminal.
element.parentElement),s=parseInt(i.getPropertyValue("height")),r=Math.max(0,parseInt(i.getPropertyValue("width"))),n=window.getComputedStyle(this._terminal.element),
o={top:parseInt(n.getPropertyValue("padding-top")),bottom:parseInt(n.getPropertyValue("padding-bottom")),right:parseInt(n.getPropertyValue("padding-right")),left:parseInt(
n.getPropertyValue("padding-left"))},a=o.top+o.bottom,l=o.right+o.left,h=s-a,d=r-l-t;return{cols:Math.max(Dn,Math.floor(d/e.css.cell.width)),rows:Math.max(Bn,Math.
floor(h/e.css.cell.height))}}};var Er=Object.defineProperty,Rn=Object.getOwnPropertyDescriptor,Ln=(e,t)=>{for(var i in t)Er(e,i,{get:t[i],enumerable:!0})},q=(e,t,i,s)=>{for(var r=s>1?void 0:s?
Rn(t,i):t,n=e.length-1,o;n>=0;n--)(o=e[n])&&(r=(s?o(t,i,r):o(r))||r);return s&&r&&Er(t,i,r),r},y=(e,t)=>(i,s)=>t(i,s,e),Cs="Terminal input",Bi={get:()=>Cs,set:e=>Cs=
e},ks="Too much output to announce, navigate to rows manually to read",Ri={get:()=>ks,set:e=>ks=e};function Mn(e){return e.replace(/\r?\n/g,"\r")}function Pn(e,t){
return t?"\x1B[200~"+e+"\x1B[201~":e}function Tn(e,t){e.clipboardData&&e.clipboardData.setData("text/plain",t.selectionText),e.preventDefault()}function An(e,t,i,s){
if(e.stopPropagation(),e.clipboardData){let r=e.clipboardData.getData("text/plain");Dr(r,t,i,s)}}function Dr(e,t,i,s){e=Mn(e),e=Pn(e,i.decPrivateModes.bracketedPasteMode&&
s.rawOptions.ignoreBracketedPasteMode!==!0),i.triggerDataEvent(e,!0),t.value=""}function Br(e,t,i){let s=i.getBoundingClientRect(),r=e.clientX-s.left-10,n=e.clientY-
s.top-10;t.style.width="20px",t.style.height="20px",t.style.left=`${r}px`,t.style.top=`${n}px`,t.style.zIndex="1000",t.focus()}function xs(e,t,i,s,r){Br(e,t,i),
r&&s.rightClickSelect(e),t.value=s.selectionText,t.select()}function Ue(e){return e>65535?(e-=65536,String.fromCharCode((e>>10)+55296)+String.fromCharCode(e%1024+
56320)):String.fromCharCode(e)}function ri(e,t=0,i=e.length){let s="";for(let r=t;r<i;++r){let n=e[r];n>65535?(n-=65536,s+=String.fromCharCode((n>>10)+55296)+String.
fromCharCode(n%1024+56320)):s+=String.fromCharCode(n)}return s}var On=class{constructor(){this._interim=0}clear(){this._interim=0}decode(e,t){let i=e.length;if(!i)
return 0;let s=0,r=0;if(this._interim){let n=e.charCodeAt(r++);56320<=n&&n<=57343?t[s++]=(this._interim-55296)*1024+n-56320+65536:(t[s++]=this._interim,t[s++]=n),
this._interim=0}for(let n=r;n<i;++n){let o=e.charCodeAt(n);if(55296<=o&&o<=56319){if(++n>=i)return this._interim=o,s;let a=e.charCodeAt(n);56320<=a&&a<=57343?t[s++]=
(o-55296)*1024+a-56320+65536:(t[s++]=o,t[s++]=a);continue}o!==65279&&(t[s++]=o)}return s}},In=class{constructor(){this.interim=new Uint8Array(3)}clear(){this.interim.
fill(0)}decode(e,t){let i=e.length;if(!i)return 0;let s=0,r,n,o,a,l=0,h=0;if(this.interim[0]){let u=!1,f=this.interim[0];f&=(f&224)===192?31:(f&240)===224?15:7;
let _=0,p;for(;(p=this.interim[++_]&63)&&_<4;)f<<=6,f|=p;let C=(this.interim[0]&224)===192?2:(this.interim[0]&240)===224?3:4,D=C-_;for(;h<D;){if(h>=i)return 0;if(p=
e[h++],(p&192)!==128){h--,u=!0;break}else this.interim[_++]=p,f<<=6,f|=p&63}u||(C===2?f<128?h--:t[s++]=f:C===3?f<2048||f>=55296&&f<=57343||f===65279||(t[s++]=f):
f<65536||f>1114111||(t[s++]=f)),this.interim.fill(0)}let d=i-4,c=h;for(;c<i;){for(;c<d&&!((r=e[c])&128)&&!((n=e[c+1])&128)&&!((o=e[c+2])&128)&&!((a=e[c+3])&128);)
t[s++]=r,t[s++]=n,t[s++]=o,t[s++]=a,c+=4;if(r=e[c++],r<128)t[s++]=r;else if((r&224)===192){if(c>=i)return this.interim[0]=r,s;if(n=e[c++],(n&192)!==128){c--;continue}
if(l=(r&31)<<6|n&63,l<128){c--;continue}t[s++]=l}else if((r&240)===224){if(c>=i)return this.interim[0]=r,s;if(n=e[c++],(n&192)!==128){c--;continue}if(c>=i)return this.
interim[0]=r,this.interim[1]=n,s;if(o=e[c++],(o&192)!==128){c--;continue}if(l=(r&15)<<12|(n&63)<<6|o&63,l<2048||l>=55296&&l<=57343||l===65279)continue;t[s++]=l}else if((r&
248)===240){if(c>=i)return this.interim[0]=r,s;if(n=e[c++],(n&192)!==128){c--;continue}if(c>=i)return this.interim[0]=r,this.interim[1]=n,s;if(o=e[c++],(o&192)!==
128){c--;continue}if(c>=i)return this.interim[0]=r,this.interim[1]=n,this.interim[2]=o,s;if(a=e[c++],(a&192)!==128){c--;continue}if(l=(r&7)<<18|(n&63)<<12|(o&63)<<
6|a&63,l<65536||l>1114111)continue;t[s++]=l}}return s}},Rr="",qe=" ",Bt=class Lr{constructor(){this.fg=0,this.bg=0,this.extended=new Xt}static toColorRGB(t){return[
t>>>16&255,t>>>8&255,t&255]}static fromColorRGB(t){return(t[0]&255)<<16|(t[1]&255)<<8|t[2]&255}clone(){let t=new Lr;return t.fg=this.fg,t.bg=this.bg,t.extended=
this.extended.clone(),t}isInverse(){return this.fg&67108864}isBold(){return this.fg&134217728}isUnderline(){return this.hasExtendedAttrs()&&this.extended.underlineStyle!==
0?1:this.fg&268435456}isBlink(){return this.fg&536870912}isInvisible(){return this.fg&1073741824}isItalic(){return this.bg&67108864}isDim(){return this.bg&134217728}isStrikethrough(){
return this.fg&2147483648}isProtected(){return this.bg&536870912}isOverline(){return this.bg&1073741824}getFgColorMode(){return this.fg&50331648}getBgColorMode(){
return this.bg&50331648}isFgRGB(){return(this.fg&50331648)===50331648}isBgRGB(){return(this.bg&50331648)===50331648}isFgPalette(){return(this.fg&50331648)===16777216||
(this.fg&50331648)===33554432}isBgPalette(){return(this.bg&50331648)===16777216||(this.bg&50331648)===33554432}isFgDefault(){return(this.fg&50331648)===0}isBgDefault(){
return(this.bg&50331648)===0}isAttributeDefault(){return this.fg===0&&this.bg===0}getFgColor(){switch(this.fg&50331648){case 16777216:case 33554432:return this.
fg&255;case 50331648:return this.fg&16777215;default:return-1}}getBgColor(){switch(this.bg&50331648){case 16777216:case 33554432:return this.bg&255;case 50331648:
return this.bg&16777215;default:return-1}}hasExtendedAttrs(){return this.bg&268435456}updateExtended(){this.extended.isEmpty()?this.bg&=-268435457:this.bg|=268435456}getUnderlineColor(){
if(this.bg&268435456&&~this.extended.underlineColor)switch(this.extended.underlineColor&50331648){case 16777216:case 33554432:return this.extended.underlineColor&
255;case 50331648:return this.extended.underlineColor&16777215;default:return this.getFgColor()}return this.getFgColor()}getUnderlineColorMode(){return this.bg&
268435456&&~this.extended.underlineColor?this.extended.underlineColor&50331648:this.getFgColorMode()}isUnderlineColorRGB(){return this.bg&268435456&&~this.extended.
underlineColor?(this.extended.underlineColor&50331648)===50331648:this.isFgRGB()}isUnderlineColorPalette(){return this.bg&268435456&&~this.extended.underlineColor?
(this.extended.underlineColor&50331648)===16777216||(this.extended.underlineColor&50331648)===33554432:this.isFgPalette()}isUnderlineColorDefault(){return this.
bg&268435456&&~this.extended.underlineColor?(this.extended.underlineColor&50331648)===0:this.isFgDefault()}getUnderlineStyle(){return this.fg&268435456?this.bg&
268435456?this.extended.underlineStyle:1:0}getUnderlineVariantOffset(){return this.extended.underlineVariantOffset}},Xt=class Mr{constructor(t=0,i=0){this._ext=
0,this._urlId=0,this._ext=t,this._urlId=i}get ext(){return this._urlId?this._ext&-469762049|this.underlineStyle<<26:this._ext}set ext(t){this._ext=t}get underlineStyle(){
return this._urlId?5:(this._ext&469762048)>>26}set underlineStyle(t){this._ext&=-469762049,this._ext|=t<<26&469762048}get underlineColor(){return this._ext&67108863}set underlineColor(t){
this._ext&=-67108864,this._ext|=t&67108863}get urlId(){return this._urlId}set urlId(t){this._urlId=t}get underlineVariantOffset(){let t=(this._ext&3758096384)>>
29;return t<0?t^4294967288:t}set underlineVariantOffset(t){this._ext&=536870911,this._ext|=t<<29&3758096384}clone(){return new Mr(this._ext,this._urlId)}isEmpty(){
return this.underlineStyle===0&&this._urlId===0}},we=class Pr extends Bt{constructor(){super(...arguments),this.content=0,this.fg=0,this.bg=0,this.extended=new Xt,
this.combinedData=""}static fromCharData(t){let i=new Pr;return i.setFromCharData(t),i}isCombined(){return this.content&2097152}getWidth(){return this.content>>
22}getChars(){return this.content&2097152?this.combinedData:this.content&2097151?Ue(this.content&2097151):""}getCode(){return this.isCombined()?this.combinedData.
charCodeAt(this.combinedData.length-1):this.content&2097151}setFromCharData(t){this.fg=t[0],this.bg=0;let i=!1;if(t[1].length>2)i=!0;else if(t[1].length===2){let s=t[1].
charCodeAt(0);if(55296<=s&&s<=56319){let r=t[1].charCodeAt(1);56320<=r&&r<=57343?this.content=(s-55296)*1024+r-56320+65536|t[2]<<22:i=!0}else i=!0}else this.content=
t[1].charCodeAt(0)|t[2]<<22;i&&(this.combinedData=t[1],this.content=2097152|t[2]<<22)}getAsCharData(){return[this.fg,this.getChars(),this.getWidth(),this.getCode()]}},
Es="di$target",Li="di$dependencies",_i=new Map;function Nn(e){return e[Li]||[]}function se(e){if(_i.has(e))return _i.get(e);let t=function(i,s,r){if(arguments.length!==
3)throw new Error("@IServiceName-decorator can only be used to decorate a parameter");Hn(t,i,r)};return t._id=e,_i.set(e,t),t}function Hn(e,t,i){t[Es]===t?t[Li].
push({id:e,index:i}):(t[Li]=[{id:e,index:i}],t[Es]=t)}var ce=se("BufferService"),Tr=se("CoreMouseService"),tt=se("CoreService"),Wn=se("CharsetService"),_s=se("I\
nstantiationService"),Ar=se("LogService"),de=se("OptionsService"),Or=se("OscLinkService"),zn=se("UnicodeService"),Rt=se("DecorationService"),Mi=class{constructor(e,t,i){
this._bufferService=e,this._optionsService=t,this._oscLinkService=i}provideLinks(e,t){let i=this._bufferService.buffer.lines.get(e-1);if(!i){t(void 0);return}let s=[],
r=this._optionsService.rawOptions.linkHandler,n=new we,o=i.getTrimmedLength(),a=-1,l=-1,h=!1;for(let d=0;d<o;d++)if(!(l===-1&&!i.hasContent(d))){if(i.loadCell(d,
n),n.hasExtendedAttrs()&&n.extended.urlId)if(l===-1){l=d,a=n.extended.urlId;continue}else h=n.extended.urlId!==a;else l!==-1&&(h=!0);if(h||l!==-1&&d===o-1){let c=this.
_oscLinkService.getLinkData(a)?.uri;if(c){let u={start:{x:l+1,y:e},end:{x:d+(!h&&d===o-1?1:0),y:e}},f=!1;if(!r?.allowNonHttpProtocols)try{let _=new URL(c);["htt\
p:","https:"].includes(_.protocol)||(f=!0)}catch{f=!0}f||s.push({text:c,range:u,activate:(_,p)=>r?r.activate(_,p,u):Fn(_,p),hover:(_,p)=>r?.hover?.(_,p,u),leave:(_,p)=>r?.
leave?.(_,p,u)})}h=!1,n.hasExtendedAttrs()&&n.extended.urlId?(l=d,a=n.extended.urlId):(l=-1,a=-1)}}t(s)}};Mi=q([y(0,ce),y(1,de),y(2,Or)],Mi);function Fn(e,t){if(confirm(
`Do you want to navigate to ${t}?

WARNING: This link could potentially be dangerous`)){let i=window.open();if(i){try{i.opener=null}catch{}i.location.href=t}else console.warn("Opening link blocke\
d as opener could not be cleared")}}var ni=se("CharSizeService"),Oe=se("CoreBrowserService"),us=se("MouseService"),Ie=se("RenderService"),$n=se("SelectionServic\
e"),Ir=se("CharacterJoinerService"),nt=se("ThemeService"),Nr=se("LinkProviderService"),Kn=class{constructor(){this.listeners=[],this.unexpectedErrorHandler=function(e){
setTimeout(()=>{throw e.stack?Ds.isErrorNoTelemetry(e)?new Ds(e.message+`

`+e.stack):new Error(e.message+`

`+e.stack):e},0)}}addListener(e){return this.listeners.push(e),()=>{this._removeListener(e)}}emit(e){this.listeners.forEach(t=>{t(e)})}_removeListener(e){this.listeners.
splice(this.listeners.indexOf(e),1)}setUnexpectedErrorHandler(e){this.unexpectedErrorHandler=e}getUnexpectedErrorHandler(){return this.unexpectedErrorHandler}onUnexpectedError(e){
this.unexpectedErrorHandler(e),this.emit(e)}onUnexpectedExternalError(e){this.unexpectedErrorHandler(e)}},Un=new Kn;function Wt(e){qn(e)||Un.onUnexpectedError(e)}
var Pi="Canceled";function qn(e){return e instanceof Vn?!0:e instanceof Error&&e.name===Pi&&e.message===Pi}var Vn=class extends Error{constructor(){super(Pi),this.
name=this.message}};function Yn(e){return e?new Error(`Illegal argument: ${e}`):new Error("Illegal argument")}var Ds=class Ti extends Error{constructor(t){super(
t),this.name="CodeExpectedError"}static fromError(t){if(t instanceof Ti)return t;let i=new Ti;return i.message=t.message,i.stack=t.stack,i}static isErrorNoTelemetry(t){
return t.name==="CodeExpectedError"}},Ai=class Hr extends Error{constructor(t){super(t||"An unexpected bug occurred."),Object.setPrototypeOf(this,Hr.prototype)}};
function jn(e,t,i=0,s=e.length){let r=i,n=s;for(;r<n;){let o=Math.floor((r+n)/2);t(e[o])?r=o+1:n=o}return r-1}var Xn=class Wr{constructor(t){this._array=t,this.
_findLastMonotonousLastIdx=0}findLastMonotonous(t){if(Wr.assertInvariants){if(this._prevFindLastPredicate){for(let s of this._array)if(this._prevFindLastPredicate(
s)&&!t(s))throw new Error("MonotonousArray: current predicate must be weaker than (or equal to) the previous predicate.")}this._prevFindLastPredicate=t}let i=jn(
this._array,t,this._findLastMonotonousLastIdx);return this._findLastMonotonousLastIdx=i+1,i===-1?void 0:this._array[i]}};Xn.assertInvariants=!1;function ue(e,t=0){return e[e.length-(1+t)]}var zr;(e=>{function t(n){return n<0}e.isLessThan=t;function i(n){return n<=0}e.isLessThanOrEqual=i;function s(n){return n>
0}e.isGreaterThan=s;function r(n){return n===0}e.isNeitherLessOrGreaterThan=r,e.greaterThan=1,e.lessThan=-1,e.neitherLessOrGreaterThan=0})(zr||={});function Gn(e,t){
return(i,s)=>t(e(i),e(s))}var Jn=(e,t)=>e-t,Bs=class Oi{constructor(t){this.iterate=t}forEach(t){this.iterate(i=>(t(i),!0))}toArray(){let t=[];return this.iterate(
i=>(t.push(i),!0)),t}filter(t){return new Oi(i=>this.iterate(s=>t(s)?i(s):!0))}map(t){return new Oi(i=>this.iterate(s=>i(t(s))))}some(t){let i=!1;return this.iterate(
s=>(i=t(s),!i)),i}findFirst(t){let i;return this.iterate(s=>t(s)?(i=s,!1):!0),i}findLast(t){let i;return this.iterate(s=>(t(s)&&(i=s),!0)),i}findLastMaxBy(t){let i,
s=!0;return this.iterate(r=>((s||zr.isGreaterThan(t(r,i)))&&(s=!1,i=r),!0)),i}};Bs.empty=new Bs(e=>{});function Zn(e,t){let i=Object.create(null);for(let s of e){let r=t(s),n=i[r];n||(n=i[r]=[]),n.push(s)}return i}var Rs,Ls,ml=class{constructor(e,t){this.toKey=t,
this._map=new Map,this[Rs]="SetWithKey";for(let i of e)this.add(i)}get size(){return this._map.size}add(e){let t=this.toKey(e);return this._map.set(t,e),this}delete(e){
return this._map.delete(this.toKey(e))}has(e){return this._map.has(this.toKey(e))}*entries(){for(let e of this._map.values())yield[e,e]}keys(){return this.values()}*values(){
for(let e of this._map.values())yield e}clear(){this._map.clear()}forEach(e,t){this._map.forEach(i=>e.call(t,i,i,this))}[(Ls=Symbol.iterator,Rs=Symbol.toStringTag,
Ls)](){return this.values()}},Qn=class{constructor(){this.map=new Map}add(e,t){let i=this.map.get(e);i||(i=new Set,this.map.set(e,i)),i.add(t)}delete(e,t){let i=this.
map.get(e);i&&(i.delete(t),i.size===0&&this.map.delete(e))}forEach(e,t){let i=this.map.get(e);i&&i.forEach(t)}get(e){return this.map.get(e)||new Set}};function eo(e,t){
let i=this,s=!1,r;return function(){if(s)return r;if(s=!0,t)try{r=e.apply(i,arguments)}finally{t()}else r=e.apply(i,arguments);return r}}var Fr;(e=>{function t(E){
return E&&typeof E=="object"&&typeof E[Symbol.iterator]=="function"}e.is=t;let i=Object.freeze([]);function s(){return i}e.empty=s;function*r(E){yield E}e.single=
r;function n(E){return t(E)?E:r(E)}e.wrap=n;function o(E){return E||i}e.from=o;function*a(E){for(let T=E.length-1;T>=0;T--)yield E[T]}e.reverse=a;function l(E){
return!E||E[Symbol.iterator]().next().done===!0}e.isEmpty=l;function h(E){return E[Symbol.iterator]().next().value}e.first=h;function d(E,T){let A=0;for(let re of E)
if(T(re,A++))return!0;return!1}e.some=d;function c(E,T){for(let A of E)if(T(A))return A}e.find=c;function*u(E,T){for(let A of E)T(A)&&(yield A)}e.filter=u;function*f(E,T){
let A=0;for(let re of E)yield T(re,A++)}e.map=f;function*_(E,T){let A=0;for(let re of E)yield*T(re,A++)}e.flatMap=_;function*p(...E){for(let T of E)yield*T}e.concat=
p;function C(E,T,A){let re=A;for(let be of E)re=T(re,be);return re}e.reduce=C;function*D(E,T,A=E.length){for(T<0&&(T+=E.length),A<0?A+=E.length:A>E.length&&(A=E.
length);T<A;T++)yield E[T]}e.slice=D;function I(E,T=Number.POSITIVE_INFINITY){let A=[];if(T===0)return[A,E];let re=E[Symbol.iterator]();for(let be=0;be<T;be++){
let Ce=re.next();if(Ce.done)return[A,e.empty()];A.push(Ce.value)}return[A,{[Symbol.iterator](){return re}}]}e.consume=I;async function M(E){let T=[];for await(let A of E)
T.push(A);return Promise.resolve(T)}e.asyncToArray=M})(Fr||={});var to=!1,Ze=null,io=class $r{constructor(){this.livingDisposables=new Map}getDisposableData(t){
let i=this.livingDisposables.get(t);return i||(i={parent:null,source:null,isSingleton:!1,value:t,idx:$r.idx++},this.livingDisposables.set(t,i)),i}trackDisposable(t){
let i=this.getDisposableData(t);i.source||(i.source=new Error().stack)}setParent(t,i){let s=this.getDisposableData(t);s.parent=i}markAsDisposed(t){this.livingDisposables.
delete(t)}markAsSingleton(t){this.getDisposableData(t).isSingleton=!0}getRootParent(t,i){let s=i.get(t);if(s)return s;let r=t.parent?this.getRootParent(this.getDisposableData(
t.parent),i):t;return i.set(t,r),r}getTrackedDisposables(){let t=new Map;return[...this.livingDisposables.entries()].filter(([,i])=>i.source!==null&&!this.getRootParent(
i,t).isSingleton).flatMap(([i])=>i)}computeLeakingDisposables(t=10,i){let s;if(i)s=i;else{let l=new Map,h=[...this.livingDisposables.values()].filter(c=>c.source!==
null&&!this.getRootParent(c,l).isSingleton);if(h.length===0)return;let d=new Set(h.map(c=>c.value));if(s=h.filter(c=>!(c.parent&&d.has(c.parent))),s.length===0)
throw new Error("There are cyclic diposable chains!")}if(!s)return;function r(l){function h(c,u){for(;c.length>0&&u.some(f=>typeof f=="string"?f===c[0]:c[0].match(
f));)c.shift()}let d=l.source.split(`
`).map(c=>c.trim().replace("at ","")).filter(c=>c!=="");return h(d,["Error",/^trackDisposable \(.*\)$/,/^DisposableTracker.trackDisposable \(.*\)$/]),d.reverse()}
let n=new Qn;for(let l of s){let h=r(l);for(let d=0;d<=h.length;d++)n.add(h.slice(0,d).join(`
`),l)}s.sort(Gn(l=>l.idx,Jn));let o="",a=0;for(let l of s.slice(0,t)){a++;let h=r(l),d=[];for(let c=0;c<h.length;c++){let u=h[c];u=`(shared with ${n.get(h.slice(
0,c+1).join(`
`)).size}/${s.length} leaks) at ${u}`;let f=n.get(h.slice(0,c).join(`
`)),_=Zn([...f].map(p=>r(p)[c]),p=>p);delete _[h[c]];for(let[p,C]of Object.entries(_))d.unshift(`    - stacktraces of ${C.length} other leaks continue with ${p}`);
d.unshift(u)}o+=`


==================== Leaking disposable ${a}/${s.length}: ${l.value.constructor.name} ====================
${d.join(`
`)}
============================================================

`}return s.length>t&&(o+=`


... and ${s.length-t} more leaking disposables

`),{leaks:s,details:o}}};io.idx=0;function so(e){Ze=e}if(to){let e="__is_disposable_tracked__";so(new class{trackDisposable(t){let i=new Error("Potentially leaked disposable").stack;setTimeout(()=>{
t[e]||console.log(i)},3e3)}setParent(t,i){if(t&&t!==R.None)try{t[e]=!0}catch{}}markAsDisposed(t){if(t&&t!==R.None)try{t[e]=!0}catch{}}markAsSingleton(t){}})}function oi(e){
return Ze?.trackDisposable(e),e}function hi(e){Ze?.markAsDisposed(e)}function kt(e,t){Ze?.setParent(e,t)}function ro(e,t){if(Ze)for(let i of e)Ze.setParent(i,t)}
function Ms(e){return Ze?.markAsSingleton(e),e}function Qe(e){if(Fr.is(e)){let t=[];for(let i of e)if(i)try{i.dispose()}catch(s){t.push(s)}if(t.length===1)throw t[0];
if(t.length>1)throw new AggregateError(t,"Encountered errors while disposing of store");return Array.isArray(e)?[]:e}else if(e)return e.dispose(),e}function no(...e){
let t=W(()=>Qe(e));return ro(e,t),t}function W(e){let t=oi({dispose:eo(()=>{hi(t),e()})});return t}var Kr=class Ur{constructor(){this._toDispose=new Set,this._isDisposed=
!1,oi(this)}dispose(){this._isDisposed||(hi(this),this._isDisposed=!0,this.clear())}get isDisposed(){return this._isDisposed}clear(){if(this._toDispose.size!==0)
try{Qe(this._toDispose)}finally{this._toDispose.clear()}}add(t){if(!t)return t;if(t===this)throw new Error("Cannot register a disposable on itself!");return kt(
t,this),this._isDisposed?Ur.DISABLE_DISPOSED_WARNING||console.warn(new Error("Trying to add a disposable to a DisposableStore that has already been disposed of.\
 The added object will be leaked!").stack):this._toDispose.add(t),t}delete(t){if(t){if(t===this)throw new Error("Cannot dispose a disposable on itself!");this._toDispose.
delete(t),t.dispose()}}deleteAndLeak(t){t&&this._toDispose.has(t)&&(this._toDispose.delete(t),kt(t,null))}};Kr.DISABLE_DISPOSED_WARNING=!1;var Ve=Kr,R=class{constructor(){
this._store=new Ve,oi(this),kt(this._store,this)}dispose(){hi(this),this._store.dispose()}_register(e){if(e===this)throw new Error("Cannot register a disposable\
 on itself!");return this._store.add(e)}};R.None=Object.freeze({dispose(){}});var rt=class{constructor(){this._isDisposed=!1,oi(this)}get value(){return this._isDisposed?
void 0:this._value}set value(e){this._isDisposed||e===this._value||(this._value?.dispose(),e&&kt(e,this),this._value=e)}clear(){this.value=void 0}dispose(){this.
_isDisposed=!0,hi(this),this._value?.dispose(),this._value=void 0}clearAndLeak(){let e=this._value;return this._value=void 0,e&&kt(e,null),e}},ge=typeof window==
"object"?window:globalThis,Ii=class Ni{constructor(t){this.element=t,this.next=Ni.Undefined,this.prev=Ni.Undefined}};Ii.Undefined=new Ii(void 0);var $=Ii,Ps=class{constructor(){
this._first=$.Undefined,this._last=$.Undefined,this._size=0}get size(){return this._size}isEmpty(){return this._first===$.Undefined}clear(){let e=this._first;for(;e!==
$.Undefined;){let t=e.next;e.prev=$.Undefined,e.next=$.Undefined,e=t}this._first=$.Undefined,this._last=$.Undefined,this._size=0}unshift(e){return this._insert(
e,!1)}push(e){return this._insert(e,!0)}_insert(e,t){let i=new $(e);if(this._first===$.Undefined)this._first=i,this._last=i;else if(t){let r=this._last;this._last=
i,i.prev=r,r.next=i}else{let r=this._first;this._first=i,i.next=r,r.prev=i}this._size+=1;let s=!1;return()=>{s||(s=!0,this._remove(i))}}shift(){if(this._first!==
$.Undefined){let e=this._first.element;return this._remove(this._first),e}}pop(){if(this._last!==$.Undefined){let e=this._last.element;return this._remove(this.
_last),e}}_remove(e){if(e.prev!==$.Undefined&&e.next!==$.Undefined){let t=e.prev;t.next=e.next,e.next.prev=t}else e.prev===$.Undefined&&e.next===$.Undefined?(this.
_first=$.Undefined,this._last=$.Undefined):e.next===$.Undefined?(this._last=this._last.prev,this._last.next=$.Undefined):e.prev===$.Undefined&&(this._first=this.
_first.next,this._first.prev=$.Undefined);this._size-=1}*[Symbol.iterator](){let e=this._first;for(;e!==$.Undefined;)yield e.element,e=e.next}},oo=globalThis.performance&&
typeof globalThis.performance.now=="function",ho=class qr{static create(t){return new qr(t)}constructor(t){this._now=oo&&t===!1?Date.now:globalThis.performance.
now.bind(globalThis.performance),this._startTime=this._now(),this._stopTime=-1}stop(){this._stopTime=this._now()}reset(){this._startTime=this._now(),this._stopTime=
-1}elapsed(){return this._stopTime!==-1?this._stopTime-this._startTime:this._now()-this._startTime}},ao=!1,Ts=!1,lo=!1,oe;(e=>{e.None=()=>R.None;function t(w){if(lo){
let{onDidAddListener:m}=w,k=zi.create(),b=0;w.onDidAddListener=()=>{++b===2&&(console.warn("snapshotted emitter LIKELY used public and SHOULD HAVE BEEN created \
with DisposableStore. snapshotted here"),k.print()),m?.()}}}function i(w,m){return u(w,()=>{},0,void 0,!0,void 0,m)}e.defer=i;function s(w){return(m,k=null,b)=>{
let x=!1,S;return S=w(P=>{if(!x)return S?S.dispose():x=!0,m.call(k,P)},null,b),x&&S.dispose(),S}}e.once=s;function r(w,m,k){return d((b,x=null,S)=>w(P=>b.call(x,
m(P)),null,S),k)}e.map=r;function n(w,m,k){return d((b,x=null,S)=>w(P=>{m(P),b.call(x,P)},null,S),k)}e.forEach=n;function o(w,m,k){return d((b,x=null,S)=>w(P=>m(
P)&&b.call(x,P),null,S),k)}e.filter=o;function a(w){return w}e.signal=a;function l(...w){return(m,k=null,b)=>{let x=no(...w.map(S=>S(P=>m.call(k,P))));return c(
x,b)}}e.any=l;function h(w,m,k,b){let x=k;return r(w,S=>(x=m(x,S),x),b)}e.reduce=h;function d(w,m){let k,b={onWillAddFirstListener(){k=w(x.fire,x)},onDidRemoveLastListener(){
k?.dispose()}};m||t(b);let x=new v(b);return m?.add(x),x.event}function c(w,m){return m instanceof Array?m.push(w):m&&m.add(w),w}function u(w,m,k=100,b=!1,x=!1,S,P){
let F,ne,ke,Le=0,Z,Ne={leakWarningThreshold:S,onWillAddFirstListener(){F=w(Ye=>{Le++,ne=m(ne,Ye),b&&!ke&&(ae.fire(ne),ne=void 0),Z=()=>{let ht=ne;ne=void 0,ke=void 0,
(!b||Le>1)&&ae.fire(ht),Le=0},typeof k=="number"?(clearTimeout(ke),ke=setTimeout(Z,k)):ke===void 0&&(ke=0,queueMicrotask(Z))})},onWillRemoveListener(){x&&Le>0&&
Z?.()},onDidRemoveLastListener(){Z=void 0,F.dispose()}};P||t(Ne);let ae=new v(Ne);return P?.add(ae),ae.event}e.debounce=u;function f(w,m=0,k){return e.debounce(
w,(b,x)=>b?(b.push(x),b):[x],m,void 0,!0,void 0,k)}e.accumulate=f;function _(w,m=(b,x)=>b===x,k){let b=!0,x;return o(w,S=>{let P=b||!m(S,x);return b=!1,x=S,P},k)}
e.latch=_;function p(w,m,k){return[e.filter(w,m,k),e.filter(w,b=>!m(b),k)]}e.split=p;function C(w,m=!1,k=[],b){let x=k.slice(),S=w(ne=>{x?x.push(ne):F.fire(ne)});
b&&b.add(S);let P=()=>{x?.forEach(ne=>F.fire(ne)),x=null},F=new v({onWillAddFirstListener(){S||(S=w(ne=>F.fire(ne)),b&&b.add(S))},onDidAddFirstListener(){x&&(m?
setTimeout(P):P())},onDidRemoveLastListener(){S&&S.dispose(),S=null}});return b&&b.add(F),F.event}e.buffer=C;function D(w,m){return(k,b,x)=>{let S=m(new M);return w(
function(P){let F=S.evaluate(P);F!==I&&k.call(b,F)},void 0,x)}}e.chain=D;let I=Symbol("HaltChainable");class M{constructor(){this.steps=[]}map(m){return this.steps.
push(m),this}forEach(m){return this.steps.push(k=>(m(k),k)),this}filter(m){return this.steps.push(k=>m(k)?k:I),this}reduce(m,k){let b=k;return this.steps.push(x=>(b=
m(b,x),b)),this}latch(m=(k,b)=>k===b){let k=!0,b;return this.steps.push(x=>{let S=k||!m(x,b);return k=!1,b=x,S?x:I}),this}evaluate(m){for(let k of this.steps)if(m=
k(m),m===I)break;return m}}function E(w,m,k=b=>b){let b=(...F)=>P.fire(k(...F)),x=()=>w.on(m,b),S=()=>w.removeListener(m,b),P=new v({onWillAddFirstListener:x,onDidRemoveLastListener:S});
return P.event}e.fromNodeEventEmitter=E;function T(w,m,k=b=>b){let b=(...F)=>P.fire(k(...F)),x=()=>w.addEventListener(m,b),S=()=>w.removeEventListener(m,b),P=new v(
{onWillAddFirstListener:x,onDidRemoveLastListener:S});return P.event}e.fromDOMEventEmitter=T;function A(w){return new Promise(m=>s(w)(m))}e.toPromise=A;function re(w){
let m=new v;return w.then(k=>{m.fire(k)},()=>{m.fire(void 0)}).finally(()=>{m.dispose()}),m.event}e.fromPromise=re;function be(w,m){return w(k=>m.fire(k))}e.forward=
be;function Ce(w,m,k){return m(k),w(b=>m(b))}e.runAndSubscribe=Ce;class Pt{constructor(m,k){this._observable=m,this._counter=0,this._hasChanged=!1;let b={onWillAddFirstListener:()=>{
m.addObserver(this)},onDidRemoveLastListener:()=>{m.removeObserver(this)}};k||t(b),this.emitter=new v(b),k&&k.add(this.emitter)}beginUpdate(m){this._counter++}handlePossibleChange(m){}handleChange(m,k){
this._hasChanged=!0}endUpdate(m){this._counter--,this._counter===0&&(this._observable.reportChanges(),this._hasChanged&&(this._hasChanged=!1,this.emitter.fire(this.
_observable.get())))}}function z(w,m){return new Pt(w,m).emitter.event}e.fromObservable=z;function ci(w){return(m,k,b)=>{let x=0,S=!1,P={beginUpdate(){x++},endUpdate(){
x--,x===0&&(w.reportChanges(),S&&(S=!1,m.call(k)))},handlePossibleChange(){},handleChange(){S=!0}};w.addObserver(P),w.reportChanges();let F={dispose(){w.removeObserver(
P)}};return b instanceof Ve?b.add(F):Array.isArray(b)&&b.push(F),F}}e.fromObservableLight=ci})(oe||={});var Hi=class Wi{constructor(t){this.listenerCount=0,this.
invocationCount=0,this.elapsedOverall=0,this.durations=[],this.name=`${t}_${Wi._idPool++}`,Wi.all.add(this)}start(t){this._stopWatch=new ho,this.listenerCount=t}stop(){
if(this._stopWatch){let t=this._stopWatch.elapsed();this.durations.push(t),this.elapsedOverall+=t,this.invocationCount+=1,this._stopWatch=void 0}}};Hi.all=new Set,
Hi._idPool=0;var co=Hi,As=-1,Vr=class Yr{constructor(t,i,s=(Yr._idPool++).toString(16).padStart(3,"0")){this._errorHandler=t,this.threshold=i,this.name=s,this._warnCountdown=
0}dispose(){this._stacks?.clear()}check(t,i){let s=this.threshold;if(s<=0||i<s)return;this._stacks||(this._stacks=new Map);let r=this._stacks.get(t.value)||0;if(this.
_stacks.set(t.value,r+1),this._warnCountdown-=1,this._warnCountdown<=0){this._warnCountdown=s*.5;let[n,o]=this.getMostFrequentStack(),a=`[${this.name}] potentia\
l listener LEAK detected, having ${i} listeners already. MOST frequent listener (${o}):`;console.warn(a),console.warn(n);let l=new uo(a,n);this._errorHandler(l)}
return()=>{let n=this._stacks.get(t.value)||0;this._stacks.set(t.value,n-1)}}getMostFrequentStack(){if(!this._stacks)return;let t,i=0;for(let[s,r]of this._stacks)
(!t||i<r)&&(t=[s,r],i=r);return t}};Vr._idPool=1;var _o=Vr,zi=class jr{constructor(t){this.value=t}static create(){let t=new Error;return new jr(t.stack??"")}print(){
console.warn(this.value.split(`
`).slice(2).join(`
`))}},uo=class extends Error{constructor(e,t){super(e),this.name="ListenerLeakError",this.stack=t}},fo=class extends Error{constructor(e,t){super(e),this.name="\
ListenerRefusalError",this.stack=t}},po=0,zt=class{constructor(e){this.value=e,this.id=po++}},go=2,vo=(e,t)=>{if(e instanceof zt)t(e);else for(let i=0;i<e.length;i++){
let s=e[i];s&&t(s)}},Ft;if(ao){let e=[];setInterval(()=>{e.length!==0&&(console.warn("[LEAKING LISTENERS] GC'ed these listeners that were NOT yet disposed:"),console.
warn(e.join(`
`)),e.length=0)},3e3),Ft=new FinalizationRegistry(t=>{typeof t=="string"&&e.push(t)})}var v=class{constructor(e){this._size=0,this._options=e,this._leakageMon=As>
0||this._options?.leakWarningThreshold?new _o(e?.onListenerError??Wt,this._options?.leakWarningThreshold??As):void 0,this._perfMon=this._options?._profName?new co(
this._options._profName):void 0,this._deliveryQueue=this._options?.deliveryQueue}dispose(){if(!this._disposed){if(this._disposed=!0,this._deliveryQueue?.current===
this&&this._deliveryQueue.reset(),this._listeners){if(Ts){let e=this._listeners;queueMicrotask(()=>{vo(e,t=>t.stack?.print())})}this._listeners=void 0,this._size=
0}this._options?.onDidRemoveLastListener?.(),this._leakageMon?.dispose()}}get event(){return this._event??=(e,t,i)=>{if(this._leakageMon&&this._size>this._leakageMon.
threshold**2){let a=`[${this._leakageMon.name}] REFUSES to accept new listeners because it exceeded its threshold by far (${this._size} vs ${this._leakageMon.threshold}\
)`;console.warn(a);let l=this._leakageMon.getMostFrequentStack()??["UNKNOWN stack",-1],h=new fo(`${a}. HINT: Stack shows most frequent listener (${l[1]}-times)`,
l[0]);return(this._options?.onListenerError||Wt)(h),R.None}if(this._disposed)return R.None;t&&(e=e.bind(t));let s=new zt(e),r,n;this._leakageMon&&this._size>=Math.
ceil(this._leakageMon.threshold*.2)&&(s.stack=zi.create(),r=this._leakageMon.check(s.stack,this._size+1)),Ts&&(s.stack=n??zi.create()),this._listeners?this._listeners instanceof
zt?(this._deliveryQueue??=new mo,this._listeners=[this._listeners,s]):this._listeners.push(s):(this._options?.onWillAddFirstListener?.(this),this._listeners=s,this.
_options?.onDidAddFirstListener?.(this)),this._size++;let o=W(()=>{Ft?.unregister(o),r?.(),this._removeListener(s)});if(i instanceof Ve?i.add(o):Array.isArray(i)&&
i.push(o),Ft){let a=new Error().stack.split(`
`).slice(2,3).join(`
`).trim(),l=/(file:|vscode-file:\/\/vscode-app)?(\/[^:]*:\d+:\d+)/.exec(a);Ft.register(o,l?.[2]??a,o)}return o},this._event}_removeListener(e){if(this._options?.
onWillRemoveListener?.(this),!this._listeners)return;if(this._size===1){this._listeners=void 0,this._options?.onDidRemoveLastListener?.(this),this._size=0;return}
let t=this._listeners,i=t.indexOf(e);if(i===-1)throw console.log("disposed?",this._disposed),console.log("size?",this._size),console.log("arr?",JSON.stringify(this.
_listeners)),new Error("Attempted to dispose unknown listener");this._size--,t[i]=void 0;let s=this._deliveryQueue.current===this;if(this._size*go<=t.length){let r=0;
for(let n=0;n<t.length;n++)t[n]?t[r++]=t[n]:s&&(this._deliveryQueue.end--,r<this._deliveryQueue.i&&this._deliveryQueue.i--);t.length=r}}_deliver(e,t){if(!e)return;
let i=this._options?.onListenerError||Wt;if(!i){e.value(t);return}try{e.value(t)}catch(s){i(s)}}_deliverQueue(e){let t=e.current._listeners;for(;e.i<e.end;)this.
_deliver(t[e.i++],e.value);e.reset()}fire(e){if(this._deliveryQueue?.current&&(this._deliverQueue(this._deliveryQueue),this._perfMon?.stop()),this._perfMon?.start(
this._size),this._listeners)if(this._listeners instanceof zt)this._deliver(this._listeners,e);else{let t=this._deliveryQueue;t.enqueue(this,e,this._listeners.length),
this._deliverQueue(t)}this._perfMon?.stop()}hasListeners(){return this._size>0}},mo=class{constructor(){this.i=-1,this.end=0}enqueue(e,t,i){this.i=0,this.end=i,
this.current=e,this.value=t}reset(){this.i=this.end,this.current=void 0,this.value=void 0}},Fi=class{constructor(){this.mapWindowIdToZoomLevel=new Map,this._onDidChangeZoomLevel=
new v,this.onDidChangeZoomLevel=this._onDidChangeZoomLevel.event,this.mapWindowIdToZoomFactor=new Map,this._onDidChangeFullscreen=new v,this.onDidChangeFullscreen=
this._onDidChangeFullscreen.event,this.mapWindowIdToFullScreen=new Map}getZoomLevel(t){return this.mapWindowIdToZoomLevel.get(this.getWindowId(t))??0}setZoomLevel(t,i){
if(this.getZoomLevel(i)===t)return;let s=this.getWindowId(i);this.mapWindowIdToZoomLevel.set(s,t),this._onDidChangeZoomLevel.fire(s)}getZoomFactor(t){return this.
mapWindowIdToZoomFactor.get(this.getWindowId(t))??1}setZoomFactor(t,i){this.mapWindowIdToZoomFactor.set(this.getWindowId(i),t)}setFullscreen(t,i){if(this.isFullscreen(
i)===t)return;let s=this.getWindowId(i);this.mapWindowIdToFullScreen.set(s,t),this._onDidChangeFullscreen.fire(s)}isFullscreen(t){return!!this.mapWindowIdToFullScreen.
get(this.getWindowId(t))}getWindowId(t){return t.vscodeWindowId}};Fi.INSTANCE=new Fi;var fs=Fi;function So(e,t,i){typeof t=="string"&&(t=e.matchMedia(t)),t.addEventListener(
"change",i)}var wl=fs.INSTANCE.onDidChangeZoomLevel;function wo(e){return fs.INSTANCE.getZoomFactor(e)}var bl=fs.INSTANCE.onDidChangeFullscreen,ot=typeof navigator==
"object"?navigator.userAgent:"",$i=ot.indexOf("Firefox")>=0,$t=ot.indexOf("AppleWebKit")>=0,ps=ot.indexOf("Chrome")>=0,Xr=!ps&&ot.indexOf("Safari")>=0,yl=ot.indexOf(
"Electron/")>=0,Cl=ot.indexOf("Android")>=0,Kt=!1;if(typeof ge.matchMedia=="function"){let e=ge.matchMedia("(display-mode: standalone) or (display-mode: window-\
controls-overlay)"),t=ge.matchMedia("(display-mode: fullscreen)");Kt=e.matches,So(ge,e,({matches:i})=>{Kt&&t.matches||(Kt=i)})}function bo(){return Kt}var st="e\
n",Gt=!1,Jt=!1,yt=!1,yo=!1,Gr=!1,Jr=!1,Co=!1,ko=!1,xo=!1,Eo=!1,At,Ut=st,Os=st,Do,Pe,Ae=globalThis,pe;typeof Ae.vscode<"u"&&typeof Ae.vscode.process<"u"?pe=Ae.vscode.
process:typeof process<"u"&&typeof process?.versions?.node=="string"&&(pe=process);var Zr=typeof pe?.versions?.electron=="string",Bo=Zr&&pe?.type==="renderer";if(typeof pe==
"object"){Gt=pe.platform==="win32",Jt=pe.platform==="darwin",yt=pe.platform==="linux",yo=yt&&!!pe.env.SNAP&&!!pe.env.SNAP_REVISION,Co=Zr,xo=!!pe.env.CI||!!pe.env.
BUILD_ARTIFACTSTAGINGDIRECTORY,At=st,Ut=st;let e=pe.env.VSCODE_NLS_CONFIG;if(e)try{let t=JSON.parse(e);At=t.userLocale,Os=t.osLocale,Ut=t.resolvedLanguage||st,Do=
t.languagePack?.translationsConfigFile}catch{}Gr=!0}else typeof navigator=="object"&&!Bo?(Pe=navigator.userAgent,Gt=Pe.indexOf("Windows")>=0,Jt=Pe.indexOf("Maci\
ntosh")>=0,ko=(Pe.indexOf("Macintosh")>=0||Pe.indexOf("iPad")>=0||Pe.indexOf("iPhone")>=0)&&!!navigator.maxTouchPoints&&navigator.maxTouchPoints>0,yt=Pe.indexOf(
"Linux")>=0,Eo=Pe?.indexOf("Mobi")>=0,Jr=!0,Ut=globalThis._VSCODE_NLS_LANGUAGE||st,At=navigator.language.toLowerCase(),Os=At):console.error("Unable to resolve p\
latform.");var ui=0;Jt?ui=1:Gt?ui=3:yt&&(ui=2);var Qr=Gt,Be=Jt,Ro=yt,fi=Gr,Lo=Jr&&typeof Ae.importScripts=="function",kl=Lo?Ae.origin:void 0,Re=Pe,ze=Ut,Mo;(e=>{
function t(){return ze}e.value=t;function i(){return ze.length===2?ze==="en":ze.length>=3?ze[0]==="e"&&ze[1]==="n"&&ze[2]==="-":!1}e.isDefaultVariant=i;function s(){
return ze==="en"}e.isDefault=s})(Mo||={});var Po=typeof Ae.postMessage=="function"&&!Ae.importScripts,To=(()=>{if(Po){let e=[];Ae.addEventListener("message",i=>{
if(i.data&&i.data.vscodeScheduleAsyncWork)for(let s=0,r=e.length;s<r;s++){let n=e[s];if(n.id===i.data.vscodeScheduleAsyncWork){e.splice(s,1),n.callback();return}}});
let t=0;return i=>{let s=++t;e.push({id:s,callback:i}),Ae.postMessage({vscodeScheduleAsyncWork:s},"*")}}return e=>setTimeout(e)})(),Ao=!!(Re&&Re.indexOf("Chrome")>=
0),xl=!!(Re&&Re.indexOf("Firefox")>=0),El=!!(!Ao&&Re&&Re.indexOf("Safari")>=0),Dl=!!(Re&&Re.indexOf("Edg/")>=0),Bl=!!(Re&&Re.indexOf("Android")>=0),Fe=typeof navigator==
"object"?navigator:{},Rl={clipboard:{writeText:fi||document.queryCommandSupported&&document.queryCommandSupported("copy")||!!(Fe&&Fe.clipboard&&Fe.clipboard.writeText),
readText:fi||!!(Fe&&Fe.clipboard&&Fe.clipboard.readText)},keyboard:fi||bo()?0:Fe.keyboard||Xr?1:2,touch:"ontouchstart"in ge||Fe.maxTouchPoints>0,pointerEvents:ge.
PointerEvent&&("ontouchstart"in ge||navigator.maxTouchPoints>0)},gs=class{constructor(){this._keyCodeToStr=[],this._strToKeyCode=Object.create(null)}define(e,t){
this._keyCodeToStr[e]=t,this._strToKeyCode[t.toLowerCase()]=e}keyCodeToStr(e){return this._keyCodeToStr[e]}strToKeyCode(e){return this._strToKeyCode[e.toLowerCase()]||
0}},pi=new gs,Is=new gs,Ns=new gs,Oo=new Array(230),en;(e=>{function t(a){return pi.keyCodeToStr(a)}e.toString=t;function i(a){return pi.strToKeyCode(a)}e.fromString=
i;function s(a){return Is.keyCodeToStr(a)}e.toUserSettingsUS=s;function r(a){return Ns.keyCodeToStr(a)}e.toUserSettingsGeneral=r;function n(a){return Is.strToKeyCode(
a)||Ns.strToKeyCode(a)}e.fromUserSettings=n;function o(a){if(a>=98&&a<=113)return null;switch(a){case 16:return"Up";case 18:return"Down";case 15:return"Left";case 17:
return"Right"}return pi.keyCodeToStr(a)}e.toElectronAccelerator=o})(en||={});var Io=class tn{constructor(t,i,s,r,n){this.ctrlKey=t,this.shiftKey=i,this.altKey=s,
this.metaKey=r,this.keyCode=n}equals(t){return t instanceof tn&&this.ctrlKey===t.ctrlKey&&this.shiftKey===t.shiftKey&&this.altKey===t.altKey&&this.metaKey===t.metaKey&&
this.keyCode===t.keyCode}getHashCode(){let t=this.ctrlKey?"1":"0",i=this.shiftKey?"1":"0",s=this.altKey?"1":"0",r=this.metaKey?"1":"0";return`K${t}${i}${s}${r}${this.
keyCode}`}isModifierKey(){return this.keyCode===0||this.keyCode===5||this.keyCode===57||this.keyCode===6||this.keyCode===4}toKeybinding(){return new No([this])}isDuplicateModifierCase(){
return this.ctrlKey&&this.keyCode===5||this.shiftKey&&this.keyCode===4||this.altKey&&this.keyCode===6||this.metaKey&&this.keyCode===57}},No=class{constructor(e){
if(e.length===0)throw Yn("chords");this.chords=e}getHashCode(){let e="";for(let t=0,i=this.chords.length;t<i;t++)t!==0&&(e+=";"),e+=this.chords[t].getHashCode();
return e}equals(e){if(e===null||this.chords.length!==e.chords.length)return!1;for(let t=0;t<this.chords.length;t++)if(!this.chords[t].equals(e.chords[t]))return!1;
return!0}};function Ho(e){if(e.charCode){let i=String.fromCharCode(e.charCode).toUpperCase();return en.fromString(i)}let t=e.keyCode;if(t===3)return 7;if($i)switch(t){case 59:
return 85;case 60:if(Ro)return 97;break;case 61:return 86;case 107:return 109;case 109:return 111;case 173:return 88;case 224:if(Be)return 57;break}else if($t&&
(Be&&t===93||!Be&&t===92))return 57;return Oo[t]||0}var Wo=Be?256:2048,zo=512,Fo=1024,$o=Be?2048:256,Ki=class{constructor(e){this._standardKeyboardEventBrand=!0;
let t=e;this.browserEvent=t,this.target=t.target,this.ctrlKey=t.ctrlKey,this.shiftKey=t.shiftKey,this.altKey=t.altKey,this.metaKey=t.metaKey,this.altGraphKey=t.
getModifierState?.("AltGraph"),this.keyCode=Ho(t),this.code=t.code,this.ctrlKey=this.ctrlKey||this.keyCode===5,this.altKey=this.altKey||this.keyCode===6,this.shiftKey=
this.shiftKey||this.keyCode===4,this.metaKey=this.metaKey||this.keyCode===57,this._asKeybinding=this._computeKeybinding(),this._asKeyCodeChord=this._computeKeyCodeChord()}preventDefault(){
this.browserEvent&&this.browserEvent.preventDefault&&this.browserEvent.preventDefault()}stopPropagation(){this.browserEvent&&this.browserEvent.stopPropagation&&
this.browserEvent.stopPropagation()}toKeyCodeChord(){return this._asKeyCodeChord}equals(e){return this._asKeybinding===e}_computeKeybinding(){let e=0;this.keyCode!==
5&&this.keyCode!==4&&this.keyCode!==6&&this.keyCode!==57&&(e=this.keyCode);let t=0;return this.ctrlKey&&(t|=Wo),this.altKey&&(t|=zo),this.shiftKey&&(t|=Fo),this.
metaKey&&(t|=$o),t|=e,t}_computeKeyCodeChord(){let e=0;return this.keyCode!==5&&this.keyCode!==4&&this.keyCode!==6&&this.keyCode!==57&&(e=this.keyCode),new Io(this.
ctrlKey,this.shiftKey,this.altKey,this.metaKey,e)}},Hs=new WeakMap;function Ko(e){if(!e.parent||e.parent===e)return null;try{let t=e.location,i=e.parent.location;
if(t.origin!=="null"&&i.origin!=="null"&&t.origin!==i.origin)return null}catch{return null}return e.parent}var Uo=class{static getSameOriginWindowChain(e){let t=Hs.
get(e);if(!t){t=[],Hs.set(e,t);let i=e,s;do s=Ko(i),s?t.push({window:new WeakRef(i),iframeElement:i.frameElement||null}):t.push({window:new WeakRef(i),iframeElement:null}),
i=s;while(i)}return t.slice(0)}static getPositionOfChildWindowRelativeToAncestorWindow(e,t){if(!t||e===t)return{top:0,left:0};let i=0,s=0,r=this.getSameOriginWindowChain(
e);for(let n of r){let o=n.window.deref();if(i+=o?.scrollY??0,s+=o?.scrollX??0,o===t||!n.iframeElement)break;let a=n.iframeElement.getBoundingClientRect();i+=a.
top,s+=a.left}return{top:i,left:s}}},gt=class{constructor(e,t){this.timestamp=Date.now(),this.browserEvent=t,this.leftButton=t.button===0,this.middleButton=t.button===
1,this.rightButton=t.button===2,this.buttons=t.buttons,this.target=t.target,this.detail=t.detail||1,t.type==="dblclick"&&(this.detail=2),this.ctrlKey=t.ctrlKey,
this.shiftKey=t.shiftKey,this.altKey=t.altKey,this.metaKey=t.metaKey,typeof t.pageX=="number"?(this.posx=t.pageX,this.posy=t.pageY):(this.posx=t.clientX+this.target.
ownerDocument.body.scrollLeft+this.target.ownerDocument.documentElement.scrollLeft,this.posy=t.clientY+this.target.ownerDocument.body.scrollTop+this.target.ownerDocument.
documentElement.scrollTop);let i=Uo.getPositionOfChildWindowRelativeToAncestorWindow(e,t.view);this.posx-=i.left,this.posy-=i.top}preventDefault(){this.browserEvent.
preventDefault()}stopPropagation(){this.browserEvent.stopPropagation()}},Ws=class{constructor(e,t=0,i=0){this.browserEvent=e||null,this.target=e?e.target||e.targetNode||
e.srcElement:null,this.deltaY=i,this.deltaX=t;let s=!1;if(ps){let r=navigator.userAgent.match(/Chrome\/(\d+)/);s=(r?parseInt(r[1]):123)<=122}if(e){let r=e,n=e,o=e.
view?.devicePixelRatio||1;if(typeof r.wheelDeltaY<"u")s?this.deltaY=r.wheelDeltaY/(120*o):this.deltaY=r.wheelDeltaY/120;else if(typeof n.VERTICAL_AXIS<"u"&&n.axis===
n.VERTICAL_AXIS)this.deltaY=-n.detail/3;else if(e.type==="wheel"){let a=e;a.deltaMode===a.DOM_DELTA_LINE?$i&&!Be?this.deltaY=-e.deltaY/3:this.deltaY=-e.deltaY:this.
deltaY=-e.deltaY/40}if(typeof r.wheelDeltaX<"u")Xr&&Qr?this.deltaX=-(r.wheelDeltaX/120):s?this.deltaX=r.wheelDeltaX/(120*o):this.deltaX=r.wheelDeltaX/120;else if(typeof n.
HORIZONTAL_AXIS<"u"&&n.axis===n.HORIZONTAL_AXIS)this.deltaX=-e.detail/3;else if(e.type==="wheel"){let a=e;a.deltaMode===a.DOM_DELTA_LINE?$i&&!Be?this.deltaX=-e.
deltaX/3:this.deltaX=-e.deltaX:this.deltaX=-e.deltaX/40}this.deltaY===0&&this.deltaX===0&&e.wheelDelta&&(s?this.deltaY=e.wheelDelta/(120*o):this.deltaY=e.wheelDelta/
120)}}preventDefault(){this.browserEvent?.preventDefault()}stopPropagation(){this.browserEvent?.stopPropagation()}},sn=Object.freeze(function(e,t){let i=setTimeout(
e.bind(t),0);return{dispose(){clearTimeout(i)}}}),qo;(e=>{function t(i){return i===e.None||i===e.Cancelled||i instanceof Vo?!0:!i||typeof i!="object"?!1:typeof i.
isCancellationRequested=="boolean"&&typeof i.onCancellationRequested=="function"}e.isCancellationToken=t,e.None=Object.freeze({isCancellationRequested:!1,onCancellationRequested:oe.
None}),e.Cancelled=Object.freeze({isCancellationRequested:!0,onCancellationRequested:sn})})(qo||={});var Vo=class{constructor(){this._isCancelled=!1,this._emitter=
null}cancel(){this._isCancelled||(this._isCancelled=!0,this._emitter&&(this._emitter.fire(void 0),this.dispose()))}get isCancellationRequested(){return this._isCancelled}get onCancellationRequested(){
return this._isCancelled?sn:(this._emitter||(this._emitter=new v),this._emitter.event)}dispose(){this._emitter&&(this._emitter.dispose(),this._emitter=null)}};var vs=class{constructor(e,t){this._isDisposed=!1,this._token=-1,typeof e=="function"&&typeof t=="number"&&this.setIfNotSet(e,t)}dispose(){this.cancel(),this._isDisposed=
!0}cancel(){this._token!==-1&&(clearTimeout(this._token),this._token=-1)}cancelAndSet(e,t){if(this._isDisposed)throw new Ai("Calling 'cancelAndSet' on a dispose\
d TimeoutTimer");this.cancel(),this._token=setTimeout(()=>{this._token=-1,e()},t)}setIfNotSet(e,t){if(this._isDisposed)throw new Ai("Calling 'setIfNotSet' on a \
disposed TimeoutTimer");this._token===-1&&(this._token=setTimeout(()=>{this._token=-1,e()},t))}},Yo=class{constructor(){this.disposable=void 0,this.isDisposed=!1}cancel(){
this.disposable?.dispose(),this.disposable=void 0}cancelAndSet(e,t,i=globalThis){if(this.isDisposed)throw new Ai("Calling 'cancelAndSet' on a disposed IntervalT\
imer");this.cancel();let s=i.setInterval(()=>{e()},t);this.disposable=W(()=>{i.clearInterval(s),this.disposable=void 0})}dispose(){this.cancel(),this.isDisposed=
!0}},jo,gi;(function(){typeof globalThis.requestIdleCallback!="function"||typeof globalThis.cancelIdleCallback!="function"?gi=(e,t)=>{To(()=>{if(i)return;let s=Date.
now()+15;t(Object.freeze({didTimeout:!0,timeRemaining(){return Math.max(0,s-Date.now())}}))});let i=!1;return{dispose(){i||(i=!0)}}}:gi=(e,t,i)=>{let s=e.requestIdleCallback(
t,typeof i=="number"?{timeout:i}:void 0),r=!1;return{dispose(){r||(r=!0,e.cancelIdleCallback(s))}}},jo=e=>gi(globalThis,e)})();var Xo;(e=>{async function t(s){let r,
n=await Promise.all(s.map(o=>o.then(a=>a,a=>{r||(r=a)})));if(typeof r<"u")throw r;return n}e.settled=t;function i(s){return new Promise(async(r,n)=>{try{await s(
r,n)}catch(o){n(o)}})}e.withAsyncBody=i})(Xo||={});var zs=class me{static fromArray(t){return new me(i=>{i.emitMany(t)})}static fromPromise(t){return new me(async i=>{
i.emitMany(await t)})}static fromPromises(t){return new me(async i=>{await Promise.all(t.map(async s=>i.emitOne(await s)))})}static merge(t){return new me(async i=>{
await Promise.all(t.map(async s=>{for await(let r of s)i.emitOne(r)}))})}constructor(t,i){this._state=0,this._results=[],this._error=null,this._onReturn=i,this.
_onStateChanged=new v,queueMicrotask(async()=>{let s={emitOne:r=>this.emitOne(r),emitMany:r=>this.emitMany(r),reject:r=>this.reject(r)};try{await Promise.resolve(
t(s)),this.resolve()}catch(r){this.reject(r)}finally{s.emitOne=void 0,s.emitMany=void 0,s.reject=void 0}})}[Symbol.asyncIterator](){let t=0;return{next:async()=>{
do{if(this._state===2)throw this._error;if(t<this._results.length)return{done:!1,value:this._results[t++]};if(this._state===1)return{done:!0,value:void 0};await oe.
toPromise(this._onStateChanged.event)}while(!0)},return:async()=>(this._onReturn?.(),{done:!0,value:void 0})}}static map(t,i){return new me(async s=>{for await(let r of t)
s.emitOne(i(r))})}map(t){return me.map(this,t)}static filter(t,i){return new me(async s=>{for await(let r of t)i(r)&&s.emitOne(r)})}filter(t){return me.filter(this,
t)}static coalesce(t){return me.filter(t,i=>!!i)}coalesce(){return me.coalesce(this)}static async toPromise(t){let i=[];for await(let s of t)i.push(s);return i}toPromise(){
return me.toPromise(this)}emitOne(t){this._state===0&&(this._results.push(t),this._onStateChanged.fire())}emitMany(t){this._state===0&&(this._results=this._results.
concat(t),this._onStateChanged.fire())}resolve(){this._state===0&&(this._state=1,this._onStateChanged.fire())}reject(t){this._state===0&&(this._state=2,this._error=
t,this._onStateChanged.fire())}};zs.EMPTY=zs.fromArray([]);function Go(e){return 55296<=e&&e<=56319}function Fs(e){return 56320<=e&&e<=57343}function Jo(e,t){return(e-55296<<10)+(t-56320)+65536}function Zo(e){return ms(
e,0)}function ms(e,t){switch(typeof e){case"object":return e===null?Te(349,t):Array.isArray(e)?eh(e,t):th(e,t);case"string":return rn(e,t);case"boolean":return Qo(
e,t);case"number":return Te(e,t);case"undefined":return Te(937,t);default:return Te(617,t)}}function Te(e,t){return(t<<5)-t+e|0}function Qo(e,t){return Te(e?433:
863,t)}function rn(e,t){t=Te(149417,t);for(let i=0,s=e.length;i<s;i++)t=Te(e.charCodeAt(i),t);return t}function eh(e,t){return t=Te(104579,t),e.reduce((i,s)=>ms(
s,i),t)}function th(e,t){return t=Te(181387,t),Object.keys(e).sort().reduce((i,s)=>(i=rn(s,i),ms(e[s],i)),t)}function vi(e,t,i=32){let s=i-t,r=~((1<<s)-1);return(e<<
t|(r&e)>>>s)>>>0}function $s(e,t=0,i=e.byteLength,s=0){for(let r=0;r<i;r++)e[t+r]=s}function ih(e,t,i="0"){for(;e.length<t;)e=i+e;return e}function lt(e,t=32){return e instanceof
ArrayBuffer?Array.from(new Uint8Array(e)).map(i=>i.toString(16).padStart(2,"0")).join(""):ih((e>>>0).toString(16),t/4)}var sh=class nn{constructor(){this._h0=1732584193,
this._h1=4023233417,this._h2=2562383102,this._h3=271733878,this._h4=3285377520,this._buff=new Uint8Array(67),this._buffDV=new DataView(this._buff.buffer),this._buffLen=
0,this._totalLen=0,this._leftoverHighSurrogate=0,this._finished=!1}update(t){let i=t.length;if(i===0)return;let s=this._buff,r=this._buffLen,n=this._leftoverHighSurrogate,
o,a;for(n!==0?(o=n,a=-1,n=0):(o=t.charCodeAt(0),a=0);;){let l=o;if(Go(o))if(a+1<i){let h=t.charCodeAt(a+1);Fs(h)?(a++,l=Jo(o,h)):l=65533}else{n=o;break}else Fs(
o)&&(l=65533);if(r=this._push(s,r,l),a++,a<i)o=t.charCodeAt(a);else break}this._buffLen=r,this._leftoverHighSurrogate=n}_push(t,i,s){return s<128?t[i++]=s:s<2048?
(t[i++]=192|(s&1984)>>>6,t[i++]=128|(s&63)>>>0):s<65536?(t[i++]=224|(s&61440)>>>12,t[i++]=128|(s&4032)>>>6,t[i++]=128|(s&63)>>>0):(t[i++]=240|(s&1835008)>>>18,t[i++]=
128|(s&258048)>>>12,t[i++]=128|(s&4032)>>>6,t[i++]=128|(s&63)>>>0),i>=64&&(this._step(),i-=64,this._totalLen+=64,t[0]=t[64],t[1]=t[65],t[2]=t[66]),i}digest(){return this.
_finished||(this._finished=!0,this._leftoverHighSurrogate&&(this._leftoverHighSurrogate=0,this._buffLen=this._push(this._buff,this._buffLen,65533)),this._totalLen+=
this._buffLen,this._wrapUp()),lt(this._h0)+lt(this._h1)+lt(this._h2)+lt(this._h3)+lt(this._h4)}_wrapUp(){this._buff[this._buffLen++]=128,$s(this._buff,this._buffLen),
this._buffLen>56&&(this._step(),$s(this._buff));let t=8*this._totalLen;this._buffDV.setUint32(56,Math.floor(t/4294967296),!1),this._buffDV.setUint32(60,t%4294967296,
!1),this._step()}_step(){let t=nn._bigBlock32,i=this._buffDV;for(let c=0;c<64;c+=4)t.setUint32(c,i.getUint32(c,!1),!1);for(let c=64;c<320;c+=4)t.setUint32(c,vi(
t.getUint32(c-12,!1)^t.getUint32(c-32,!1)^t.getUint32(c-56,!1)^t.getUint32(c-64,!1),1),!1);let s=this._h0,r=this._h1,n=this._h2,o=this._h3,a=this._h4,l,h,d;for(let c=0;c<
80;c++)c<20?(l=r&n|~r&o,h=1518500249):c<40?(l=r^n^o,h=1859775393):c<60?(l=r&n|r&o|n&o,h=2400959708):(l=r^n^o,h=3395469782),d=vi(s,5)+l+a+h+t.getUint32(c*4,!1)&4294967295,
a=o,o=n,n=vi(r,30),r=s,s=d;this._h0=this._h0+s&4294967295,this._h1=this._h1+r&4294967295,this._h2=this._h2+n&4294967295,this._h3=this._h3+o&4294967295,this._h4=
this._h4+a&4294967295}};sh._bigBlock32=new DataView(new ArrayBuffer(320));var{registerWindow:Ll,getWindow:ye,getDocument:Ml,getWindows:Pl,getWindowsCount:Tl,getWindowId:Ks,getWindowById:Al,hasWindow:Ol,onDidRegisterWindow:rh,onWillUnregisterWindow:Il,
onDidUnregisterWindow:Nl}=(function(){let e=new Map,t={window:ge,disposables:new Ve};e.set(ge.vscodeWindowId,t);let i=new v,s=new v,r=new v;function n(o,a){return(typeof o==
"number"?e.get(o):void 0)??(a?t:void 0)}return{onDidRegisterWindow:i.event,onWillUnregisterWindow:r.event,onDidUnregisterWindow:s.event,registerWindow(o){if(e.has(
o.vscodeWindowId))return R.None;let a=new Ve,l={window:o,disposables:a.add(new Ve)};return e.set(o.vscodeWindowId,l),a.add(W(()=>{e.delete(o.vscodeWindowId),s.fire(
o)})),a.add(B(o,Q.BEFORE_UNLOAD,()=>{r.fire(o)})),i.fire(l),a},getWindows(){return e.values()},getWindowsCount(){return e.size},getWindowId(o){return o.vscodeWindowId},
hasWindow(o){return e.has(o)},getWindowById:n,getWindow(o){let a=o;if(a?.ownerDocument?.defaultView)return a.ownerDocument.defaultView.window;let l=o;return l?.
view?l.view.window:ge},getDocument(o){return ye(o).document}}})(),nh=class{constructor(e,t,i,s){this._node=e,this._type=t,this._handler=i,this._options=s||!1,this.
_node.addEventListener(this._type,this._handler,this._options)}dispose(){this._handler&&(this._node.removeEventListener(this._type,this._handler,this._options),
this._node=null,this._handler=null)}};function B(e,t,i,s){return new nh(e,t,i,s)}function oh(e,t){return function(i){return t(new gt(e,i))}}function hh(e){return function(t){
return e(new Ki(t))}}var Us=function(e,t,i,s){let r=i;return t==="click"||t==="mousedown"||t==="contextmenu"?r=oh(ye(e),i):(t==="keydown"||t==="keypress"||t==="\
keyup")&&(r=hh(i)),B(e,t,r,s)},ah,Zt,lh=class extends Yo{constructor(e){super(),this.defaultTarget=e&&ye(e)}cancelAndSet(e,t,i){return super.cancelAndSet(e,t,i??
this.defaultTarget)}},mi=class{constructor(e,t=0){this._runner=e,this.priority=t,this._canceled=!1}dispose(){this._canceled=!0}execute(){if(!this._canceled)try{
this._runner()}catch(e){Wt(e)}}static sort(e,t){return t.priority-e.priority}};(function(){let e=new Map,t=new Map,i=new Map,s=new Map,r=n=>{i.set(n,!1);let o=e.
get(n)??[];for(t.set(n,o),e.set(n,[]),s.set(n,!0);o.length>0;)o.sort(mi.sort),o.shift().execute();s.set(n,!1)};Zt=(n,o,a=0)=>{let l=Ks(n),h=new mi(o,a),d=e.get(
l);return d||(d=[],e.set(l,d)),d.push(h),i.get(l)||(i.set(l,!0),n.requestAnimationFrame(()=>r(l))),h},ah=(n,o,a)=>{let l=Ks(n);if(s.get(l)){let h=new mi(o,a),d=t.
get(l);return d||(d=[],t.set(l,d)),d.push(h),h}else return Zt(n,o,a)}})();var qs=class qt{constructor(t,i){this.width=t,this.height=i}with(t=this.width,i=this.height){
return t!==this.width||i!==this.height?new qt(t,i):this}static is(t){return typeof t=="object"&&typeof t.height=="number"&&typeof t.width=="number"}static lift(t){
return t instanceof qt?t:new qt(t.width,t.height)}static equals(t,i){return t===i?!0:!t||!i?!1:t.width===i.width&&t.height===i.height}};qs.None=new qs(0,0);function ch(e){let t=e.getBoundingClientRect(),i=ye(e);return{left:t.left+i.scrollX,top:t.top+i.scrollY,width:t.width,height:t.height}}var Hl=new class{constructor(){
this.mutationObservers=new Map}observe(e,t,i){let s=this.mutationObservers.get(e);s||(s=new Map,this.mutationObservers.set(e,s));let r=Zo(i),n=s.get(r);if(n)n.users+=
1;else{let o=new v,a=new MutationObserver(h=>o.fire(h));a.observe(e,i);let l=n={users:1,observer:a,onDidMutate:o.event};t.add(W(()=>{l.users-=1,l.users===0&&(o.
dispose(),a.disconnect(),s?.delete(r),s?.size===0&&this.mutationObservers.delete(e))})),s.set(r,n)}return n.onDidMutate}},Q={CLICK:"click",AUXCLICK:"auxclick",DBLCLICK:"\
dblclick",MOUSE_UP:"mouseup",MOUSE_DOWN:"mousedown",MOUSE_OVER:"mouseover",MOUSE_MOVE:"mousemove",MOUSE_OUT:"mouseout",MOUSE_ENTER:"mouseenter",MOUSE_LEAVE:"mou\
seleave",MOUSE_WHEEL:"wheel",POINTER_UP:"pointerup",POINTER_DOWN:"pointerdown",POINTER_MOVE:"pointermove",POINTER_LEAVE:"pointerleave",CONTEXT_MENU:"contextmenu",
WHEEL:"wheel",KEY_DOWN:"keydown",KEY_PRESS:"keypress",KEY_UP:"keyup",LOAD:"load",BEFORE_UNLOAD:"beforeunload",UNLOAD:"unload",PAGE_SHOW:"pageshow",PAGE_HIDE:"pa\
gehide",PASTE:"paste",ABORT:"abort",ERROR:"error",RESIZE:"resize",SCROLL:"scroll",FULLSCREEN_CHANGE:"fullscreenchange",WK_FULLSCREEN_CHANGE:"webkitfullscreencha\
nge",SELECT:"select",CHANGE:"change",SUBMIT:"submit",RESET:"reset",FOCUS:"focus",FOCUS_IN:"focusin",FOCUS_OUT:"focusout",BLUR:"blur",INPUT:"input",STORAGE:"stor\
age",DRAG_START:"dragstart",DRAG:"drag",DRAG_ENTER:"dragenter",DRAG_LEAVE:"dragleave",DRAG_OVER:"dragover",DROP:"drop",DRAG_END:"dragend",ANIMATION_START:$t?"we\
bkitAnimationStart":"animationstart",ANIMATION_END:$t?"webkitAnimationEnd":"animationend",ANIMATION_ITERATION:$t?"webkitAnimationIteration":"animationiteration"},
dh=/([\w\-]+)?(#([\w\-]+))?((\.([\w\-]+))*)/;function on(e,t,i,...s){let r=dh.exec(t);if(!r)throw new Error("Bad use of emmet");let n=r[1]||"div",o;return e!=="\
http://www.w3.org/1999/xhtml"?o=document.createElementNS(e,n):o=document.createElement(n),r[3]&&(o.id=r[3]),r[4]&&(o.className=r[4].replace(/\./g," ").trim()),i&&
Object.entries(i).forEach(([a,l])=>{typeof l>"u"||(/^on\w+$/.test(a)?o[a]=l:a==="selected"?l&&o.setAttribute(a,"true"):o.setAttribute(a,l))}),o.append(...s),o}function _h(e,t,...i){
return on("http://www.w3.org/1999/xhtml",e,t,...i)}_h.SVG=function(e,t,...i){return on("http://www.w3.org/2000/svg",e,t,...i)};var uh=class{constructor(e){this.
domNode=e,this._maxWidth="",this._width="",this._height="",this._top="",this._left="",this._bottom="",this._right="",this._paddingTop="",this._paddingLeft="",this.
_paddingBottom="",this._paddingRight="",this._fontFamily="",this._fontWeight="",this._fontSize="",this._fontStyle="",this._fontFeatureSettings="",this._fontVariationSettings=
"",this._textDecoration="",this._lineHeight="",this._letterSpacing="",this._className="",this._display="",this._position="",this._visibility="",this._color="",this.
_backgroundColor="",this._layerHint=!1,this._contain="none",this._boxShadow=""}setMaxWidth(e){let t=_e(e);this._maxWidth!==t&&(this._maxWidth=t,this.domNode.style.
maxWidth=this._maxWidth)}setWidth(e){let t=_e(e);this._width!==t&&(this._width=t,this.domNode.style.width=this._width)}setHeight(e){let t=_e(e);this._height!==t&&
(this._height=t,this.domNode.style.height=this._height)}setTop(e){let t=_e(e);this._top!==t&&(this._top=t,this.domNode.style.top=this._top)}setLeft(e){let t=_e(
e);this._left!==t&&(this._left=t,this.domNode.style.left=this._left)}setBottom(e){let t=_e(e);this._bottom!==t&&(this._bottom=t,this.domNode.style.bottom=this._bottom)}setRight(e){
let t=_e(e);this._right!==t&&(this._right=t,this.domNode.style.right=this._right)}setPaddingTop(e){let t=_e(e);this._paddingTop!==t&&(this._paddingTop=t,this.domNode.
style.paddingTop=this._paddingTop)}setPaddingLeft(e){let t=_e(e);this._paddingLeft!==t&&(this._paddingLeft=t,this.domNode.style.paddingLeft=this._paddingLeft)}setPaddingBottom(e){
let t=_e(e);this._paddingBottom!==t&&(this._paddingBottom=t,this.domNode.style.paddingBottom=this._paddingBottom)}setPaddingRight(e){let t=_e(e);this._paddingRight!==
t&&(this._paddingRight=t,this.domNode.style.paddingRight=this._paddingRight)}setFontFamily(e){this._fontFamily!==e&&(this._fontFamily=e,this.domNode.style.fontFamily=
this._fontFamily)}setFontWeight(e){this._fontWeight!==e&&(this._fontWeight=e,this.domNode.style.fontWeight=this._fontWeight)}setFontSize(e){let t=_e(e);this._fontSize!==
t&&(this._fontSize=t,this.domNode.style.fontSize=this._fontSize)}setFontStyle(e){this._fontStyle!==e&&(this._fontStyle=e,this.domNode.style.fontStyle=this._fontStyle)}setFontFeatureSettings(e){
this._fontFeatureSettings!==e&&(this._fontFeatureSettings=e,this.domNode.style.fontFeatureSettings=this._fontFeatureSettings)}setFontVariationSettings(e){this._fontVariationSettings!==
e&&(this._fontVariationSettings=e,this.domNode.style.fontVariationSettings=this._fontVariationSettings)}setTextDecoration(e){this._textDecoration!==e&&(this._textDecoration=
e,this.domNode.style.textDecoration=this._textDecoration)}setLineHeight(e){let t=_e(e);this._lineHeight!==t&&(this._lineHeight=t,this.domNode.style.lineHeight=this.
_lineHeight)}setLetterSpacing(e){let t=_e(e);this._letterSpacing!==t&&(this._letterSpacing=t,this.domNode.style.letterSpacing=this._letterSpacing)}setClassName(e){
this._className!==e&&(this._className=e,this.domNode.className=this._className)}toggleClassName(e,t){this.domNode.classList.toggle(e,t),this._className=this.domNode.
className}setDisplay(e){this._display!==e&&(this._display=e,this.domNode.style.display=this._display)}setPosition(e){this._position!==e&&(this._position=e,this.
domNode.style.position=this._position)}setVisibility(e){this._visibility!==e&&(this._visibility=e,this.domNode.style.visibility=this._visibility)}setColor(e){this.
_color!==e&&(this._color=e,this.domNode.style.color=this._color)}setBackgroundColor(e){this._backgroundColor!==e&&(this._backgroundColor=e,this.domNode.style.backgroundColor=
this._backgroundColor)}setLayerHinting(e){this._layerHint!==e&&(this._layerHint=e,this.domNode.style.transform=this._layerHint?"translate3d(0px, 0px, 0px)":"")}setBoxShadow(e){
this._boxShadow!==e&&(this._boxShadow=e,this.domNode.style.boxShadow=e)}setContain(e){this._contain!==e&&(this._contain=e,this.domNode.style.contain=this._contain)}setAttribute(e,t){
this.domNode.setAttribute(e,t)}removeAttribute(e){this.domNode.removeAttribute(e)}appendChild(e){this.domNode.appendChild(e.domNode)}removeChild(e){this.domNode.
removeChild(e.domNode)}};function _e(e){return typeof e=="number"?`${e}px`:e}function Ct(e){return new uh(e)}var hn=class{constructor(){this._hooks=new Ve,this.
_pointerMoveCallback=null,this._onStopCallback=null}dispose(){this.stopMonitoring(!1),this._hooks.dispose()}stopMonitoring(e,t){if(!this.isMonitoring())return;this.
_hooks.clear(),this._pointerMoveCallback=null;let i=this._onStopCallback;this._onStopCallback=null,e&&i&&i(t)}isMonitoring(){return!!this._pointerMoveCallback}startMonitoring(e,t,i,s,r){
this.isMonitoring()&&this.stopMonitoring(!1),this._pointerMoveCallback=s,this._onStopCallback=r;let n=e;try{e.setPointerCapture(t),this._hooks.add(W(()=>{try{e.
releasePointerCapture(t)}catch{}}))}catch{n=ye(e)}this._hooks.add(B(n,Q.POINTER_MOVE,o=>{if(o.buttons!==i){this.stopMonitoring(!0);return}o.preventDefault(),this.
_pointerMoveCallback(o)})),this._hooks.add(B(n,Q.POINTER_UP,o=>this.stopMonitoring(!0)))}};function fh(e,t,i){let s=null,r=null;if(typeof i.value=="function"?(s=
"value",r=i.value,r.length!==0&&console.warn("Memoize should only be used in functions with zero parameters")):typeof i.get=="function"&&(s="get",r=i.get),!r)throw new Error(
"not supported");let n=`$memoize$${t}`;i[s]=function(...o){return this.hasOwnProperty(n)||Object.defineProperty(this,n,{configurable:!1,enumerable:!1,writable:!1,
value:r.apply(this,o)}),this[n]}}var De;(e=>(e.Tap="-xterm-gesturetap",e.Change="-xterm-gesturechange",e.Start="-xterm-gesturestart",e.End="-xterm-gesturesend",
e.Contextmenu="-xterm-gesturecontextmenu"))(De||={});var vt=class he extends R{constructor(){super(),this.dispatched=!1,this.targets=new Ps,this.ignoreTargets=new Ps,
this.activeTouches={},this.handle=null,this._lastSetTapCountTime=0,this._register(oe.runAndSubscribe(rh,({window:t,disposables:i})=>{i.add(B(t.document,"touchst\
art",s=>this.onTouchStart(s),{passive:!1})),i.add(B(t.document,"touchend",s=>this.onTouchEnd(t,s))),i.add(B(t.document,"touchmove",s=>this.onTouchMove(s),{passive:!1}))},
{window:ge,disposables:this._store}))}static addTarget(t){if(!he.isTouchDevice())return R.None;he.INSTANCE||(he.INSTANCE=Ms(new he));let i=he.INSTANCE.targets.push(
t);return W(i)}static ignoreTarget(t){if(!he.isTouchDevice())return R.None;he.INSTANCE||(he.INSTANCE=Ms(new he));let i=he.INSTANCE.ignoreTargets.push(t);return W(
i)}static isTouchDevice(){return"ontouchstart"in ge||navigator.maxTouchPoints>0}dispose(){this.handle&&(this.handle.dispose(),this.handle=null),super.dispose()}onTouchStart(t){
let i=Date.now();this.handle&&(this.handle.dispose(),this.handle=null);for(let s=0,r=t.targetTouches.length;s<r;s++){let n=t.targetTouches.item(s);this.activeTouches[n.
identifier]={id:n.identifier,initialTarget:n.target,initialTimeStamp:i,initialPageX:n.pageX,initialPageY:n.pageY,rollingTimestamps:[i],rollingPageX:[n.pageX],rollingPageY:[
n.pageY]};let o=this.newGestureEvent(De.Start,n.target);o.pageX=n.pageX,o.pageY=n.pageY,this.dispatchEvent(o)}this.dispatched&&(t.preventDefault(),t.stopPropagation(),
this.dispatched=!1)}onTouchEnd(t,i){let s=Date.now(),r=Object.keys(this.activeTouches).length;for(let n=0,o=i.changedTouches.length;n<o;n++){let a=i.changedTouches.
item(n);if(!this.activeTouches.hasOwnProperty(String(a.identifier))){console.warn("move of an UNKNOWN touch",a);continue}let l=this.activeTouches[a.identifier],
h=Date.now()-l.initialTimeStamp;if(h<he.HOLD_DELAY&&Math.abs(l.initialPageX-ue(l.rollingPageX))<30&&Math.abs(l.initialPageY-ue(l.rollingPageY))<30){let d=this.newGestureEvent(
De.Tap,l.initialTarget);d.pageX=ue(l.rollingPageX),d.pageY=ue(l.rollingPageY),this.dispatchEvent(d)}else if(h>=he.HOLD_DELAY&&Math.abs(l.initialPageX-ue(l.rollingPageX))<
30&&Math.abs(l.initialPageY-ue(l.rollingPageY))<30){let d=this.newGestureEvent(De.Contextmenu,l.initialTarget);d.pageX=ue(l.rollingPageX),d.pageY=ue(l.rollingPageY),
this.dispatchEvent(d)}else if(r===1){let d=ue(l.rollingPageX),c=ue(l.rollingPageY),u=ue(l.rollingTimestamps)-l.rollingTimestamps[0],f=d-l.rollingPageX[0],_=c-l.
rollingPageY[0],p=[...this.targets].filter(C=>l.initialTarget instanceof Node&&C.contains(l.initialTarget));this.inertia(t,p,s,Math.abs(f)/u,f>0?1:-1,d,Math.abs(
_)/u,_>0?1:-1,c)}this.dispatchEvent(this.newGestureEvent(De.End,l.initialTarget)),delete this.activeTouches[a.identifier]}this.dispatched&&(i.preventDefault(),i.
stopPropagation(),this.dispatched=!1)}newGestureEvent(t,i){let s=document.createEvent("CustomEvent");return s.initEvent(t,!1,!0),s.initialTarget=i,s.tapCount=0,
s}dispatchEvent(t){if(t.type===De.Tap){let i=new Date().getTime(),s=0;i-this._lastSetTapCountTime>he.CLEAR_TAP_COUNT_TIME?s=1:s=2,this._lastSetTapCountTime=i,t.
tapCount=s}else(t.type===De.Change||t.type===De.Contextmenu)&&(this._lastSetTapCountTime=0);if(t.initialTarget instanceof Node){for(let s of this.ignoreTargets)
if(s.contains(t.initialTarget))return;let i=[];for(let s of this.targets)if(s.contains(t.initialTarget)){let r=0,n=t.initialTarget;for(;n&&n!==s;)r++,n=n.parentElement;
i.push([r,s])}i.sort((s,r)=>s[0]-r[0]);for(let[s,r]of i)r.dispatchEvent(t),this.dispatched=!0}}inertia(t,i,s,r,n,o,a,l,h){this.handle=Zt(t,()=>{let d=Date.now(),
c=d-s,u=0,f=0,_=!0;r+=he.SCROLL_FRICTION*c,a+=he.SCROLL_FRICTION*c,r>0&&(_=!1,u=n*r*c),a>0&&(_=!1,f=l*a*c);let p=this.newGestureEvent(De.Change);p.translationX=
u,p.translationY=f,i.forEach(C=>C.dispatchEvent(p)),_||this.inertia(t,i,d,r,n,o+u,a,l,h+f)})}onTouchMove(t){let i=Date.now();for(let s=0,r=t.changedTouches.length;s<
r;s++){let n=t.changedTouches.item(s);if(!this.activeTouches.hasOwnProperty(String(n.identifier))){console.warn("end of an UNKNOWN touch",n);continue}let o=this.
activeTouches[n.identifier],a=this.newGestureEvent(De.Change,o.initialTarget);a.translationX=n.pageX-ue(o.rollingPageX),a.translationY=n.pageY-ue(o.rollingPageY),
a.pageX=n.pageX,a.pageY=n.pageY,this.dispatchEvent(a),o.rollingPageX.length>3&&(o.rollingPageX.shift(),o.rollingPageY.shift(),o.rollingTimestamps.shift()),o.rollingPageX.
push(n.pageX),o.rollingPageY.push(n.pageY),o.rollingTimestamps.push(i)}this.dispatched&&(t.preventDefault(),t.stopPropagation(),this.dispatched=!1)}};vt.SCROLL_FRICTION=
-.005,vt.HOLD_DELAY=700,vt.CLEAR_TAP_COUNT_TIME=400,q([fh],vt,"isTouchDevice",1);var ph=vt,Ss=class extends R{onclick(e,t){this._register(B(e,Q.CLICK,i=>t(new gt(
ye(e),i))))}onmousedown(e,t){this._register(B(e,Q.MOUSE_DOWN,i=>t(new gt(ye(e),i))))}onmouseover(e,t){this._register(B(e,Q.MOUSE_OVER,i=>t(new gt(ye(e),i))))}onmouseleave(e,t){
this._register(B(e,Q.MOUSE_LEAVE,i=>t(new gt(ye(e),i))))}onkeydown(e,t){this._register(B(e,Q.KEY_DOWN,i=>t(new Ki(i))))}onkeyup(e,t){this._register(B(e,Q.KEY_UP,
i=>t(new Ki(i))))}oninput(e,t){this._register(B(e,Q.INPUT,t))}onblur(e,t){this._register(B(e,Q.BLUR,t))}onfocus(e,t){this._register(B(e,Q.FOCUS,t))}onchange(e,t){
this._register(B(e,Q.CHANGE,t))}ignoreGesture(e){return ph.ignoreTarget(e)}},Vs=11,gh=class extends Ss{constructor(e){super(),this._onActivate=e.onActivate,this.
bgDomNode=document.createElement("div"),this.bgDomNode.className="arrow-background",this.bgDomNode.style.position="absolute",this.bgDomNode.style.width=e.bgWidth+
"px",this.bgDomNode.style.height=e.bgHeight+"px",typeof e.top<"u"&&(this.bgDomNode.style.top="0px"),typeof e.left<"u"&&(this.bgDomNode.style.left="0px"),typeof e.
bottom<"u"&&(this.bgDomNode.style.bottom="0px"),typeof e.right<"u"&&(this.bgDomNode.style.right="0px"),this.domNode=document.createElement("div"),this.domNode.className=
e.className,this.domNode.style.position="absolute",this.domNode.style.width=Vs+"px",this.domNode.style.height=Vs+"px",typeof e.top<"u"&&(this.domNode.style.top=
e.top+"px"),typeof e.left<"u"&&(this.domNode.style.left=e.left+"px"),typeof e.bottom<"u"&&(this.domNode.style.bottom=e.bottom+"px"),typeof e.right<"u"&&(this.domNode.
style.right=e.right+"px"),this._pointerMoveMonitor=this._register(new hn),this._register(Us(this.bgDomNode,Q.POINTER_DOWN,t=>this._arrowPointerDown(t))),this._register(
Us(this.domNode,Q.POINTER_DOWN,t=>this._arrowPointerDown(t))),this._pointerdownRepeatTimer=this._register(new lh),this._pointerdownScheduleRepeatTimer=this._register(
new vs)}_arrowPointerDown(e){if(!e.target||!(e.target instanceof Element))return;let t=()=>{this._pointerdownRepeatTimer.cancelAndSet(()=>this._onActivate(),1e3/
24,ye(e))};this._onActivate(),this._pointerdownRepeatTimer.cancel(),this._pointerdownScheduleRepeatTimer.cancelAndSet(t,200),this._pointerMoveMonitor.startMonitoring(
e.target,e.pointerId,e.buttons,i=>{},()=>{this._pointerdownRepeatTimer.cancel(),this._pointerdownScheduleRepeatTimer.cancel()}),e.preventDefault()}},vh=class Ui{constructor(t,i,s,r,n,o,a){
this._forceIntegerValues=t,this._scrollStateBrand=void 0,this._forceIntegerValues&&(i=i|0,s=s|0,r=r|0,n=n|0,o=o|0,a=a|0),this.rawScrollLeft=r,this.rawScrollTop=
a,i<0&&(i=0),r+i>s&&(r=s-i),r<0&&(r=0),n<0&&(n=0),a+n>o&&(a=o-n),a<0&&(a=0),this.width=i,this.scrollWidth=s,this.scrollLeft=r,this.height=n,this.scrollHeight=o,
this.scrollTop=a}equals(t){return this.rawScrollLeft===t.rawScrollLeft&&this.rawScrollTop===t.rawScrollTop&&this.width===t.width&&this.scrollWidth===t.scrollWidth&&
this.scrollLeft===t.scrollLeft&&this.height===t.height&&this.scrollHeight===t.scrollHeight&&this.scrollTop===t.scrollTop}withScrollDimensions(t,i){return new Ui(
this._forceIntegerValues,typeof t.width<"u"?t.width:this.width,typeof t.scrollWidth<"u"?t.scrollWidth:this.scrollWidth,i?this.rawScrollLeft:this.scrollLeft,typeof t.
height<"u"?t.height:this.height,typeof t.scrollHeight<"u"?t.scrollHeight:this.scrollHeight,i?this.rawScrollTop:this.scrollTop)}withScrollPosition(t){return new Ui(
this._forceIntegerValues,this.width,this.scrollWidth,typeof t.scrollLeft<"u"?t.scrollLeft:this.rawScrollLeft,this.height,this.scrollHeight,typeof t.scrollTop<"u"?
t.scrollTop:this.rawScrollTop)}createScrollEvent(t,i){let s=this.width!==t.width,r=this.scrollWidth!==t.scrollWidth,n=this.scrollLeft!==t.scrollLeft,o=this.height!==
t.height,a=this.scrollHeight!==t.scrollHeight,l=this.scrollTop!==t.scrollTop;return{inSmoothScrolling:i,oldWidth:t.width,oldScrollWidth:t.scrollWidth,oldScrollLeft:t.
scrollLeft,width:this.width,scrollWidth:this.scrollWidth,scrollLeft:this.scrollLeft,oldHeight:t.height,oldScrollHeight:t.scrollHeight,oldScrollTop:t.scrollTop,height:this.
height,scrollHeight:this.scrollHeight,scrollTop:this.scrollTop,widthChanged:s,scrollWidthChanged:r,scrollLeftChanged:n,heightChanged:o,scrollHeightChanged:a,scrollTopChanged:l}}},
mh=class extends R{constructor(e){super(),this._scrollableBrand=void 0,this._onScroll=this._register(new v),this.onScroll=this._onScroll.event,this._smoothScrollDuration=
e.smoothScrollDuration,this._scheduleAtNextAnimationFrame=e.scheduleAtNextAnimationFrame,this._state=new vh(e.forceIntegerValues,0,0,0,0,0,0),this._smoothScrolling=
null}dispose(){this._smoothScrolling&&(this._smoothScrolling.dispose(),this._smoothScrolling=null),super.dispose()}setSmoothScrollDuration(e){this._smoothScrollDuration=
e}validateScrollPosition(e){return this._state.withScrollPosition(e)}getScrollDimensions(){return this._state}setScrollDimensions(e,t){let i=this._state.withScrollDimensions(
e,t);this._setState(i,!!this._smoothScrolling),this._smoothScrolling?.acceptScrollDimensions(this._state)}getFutureScrollPosition(){return this._smoothScrolling?
this._smoothScrolling.to:this._state}getCurrentScrollPosition(){return this._state}setScrollPositionNow(e){let t=this._state.withScrollPosition(e);this._smoothScrolling&&
(this._smoothScrolling.dispose(),this._smoothScrolling=null),this._setState(t,!1)}setScrollPositionSmooth(e,t){if(this._smoothScrollDuration===0)return this.setScrollPositionNow(
e);if(this._smoothScrolling){e={scrollLeft:typeof e.scrollLeft>"u"?this._smoothScrolling.to.scrollLeft:e.scrollLeft,scrollTop:typeof e.scrollTop>"u"?this._smoothScrolling.
to.scrollTop:e.scrollTop};let i=this._state.withScrollPosition(e);if(this._smoothScrolling.to.scrollLeft===i.scrollLeft&&this._smoothScrolling.to.scrollTop===i.
scrollTop)return;let s;t?s=new js(this._smoothScrolling.from,i,this._smoothScrolling.startTime,this._smoothScrolling.duration):s=this._smoothScrolling.combine(this.
_state,i,this._smoothScrollDuration),this._smoothScrolling.dispose(),this._smoothScrolling=s}else{let i=this._state.withScrollPosition(e);this._smoothScrolling=
js.start(this._state,i,this._smoothScrollDuration)}this._smoothScrolling.animationFrameDisposable=this._scheduleAtNextAnimationFrame(()=>{this._smoothScrolling&&
(this._smoothScrolling.animationFrameDisposable=null,this._performSmoothScrolling())})}hasPendingScrollAnimation(){return!!this._smoothScrolling}_performSmoothScrolling(){
if(!this._smoothScrolling)return;let e=this._smoothScrolling.tick(),t=this._state.withScrollPosition(e);if(this._setState(t,!0),!!this._smoothScrolling){if(e.isDone){
this._smoothScrolling.dispose(),this._smoothScrolling=null;return}this._smoothScrolling.animationFrameDisposable=this._scheduleAtNextAnimationFrame(()=>{this._smoothScrolling&&
(this._smoothScrolling.animationFrameDisposable=null,this._performSmoothScrolling())})}}_setState(e,t){let i=this._state;i.equals(e)||(this._state=e,this._onScroll.
fire(this._state.createScrollEvent(i,t)))}},Ys=class{constructor(e,t,i){this.scrollLeft=e,this.scrollTop=t,this.isDone=i}};function Si(e,t){let i=t-e;return function(s){
return e+i*bh(s)}}function Sh(e,t,i){return function(s){return s<i?e(s/i):t((s-i)/(1-i))}}var js=class qi{constructor(t,i,s,r){this.from=t,this.to=i,this.duration=
r,this.startTime=s,this.animationFrameDisposable=null,this._initAnimations()}_initAnimations(){this.scrollLeft=this._initAnimation(this.from.scrollLeft,this.to.
scrollLeft,this.to.width),this.scrollTop=this._initAnimation(this.from.scrollTop,this.to.scrollTop,this.to.height)}_initAnimation(t,i,s){if(Math.abs(t-i)>2.5*s){
let r,n;return t<i?(r=t+.75*s,n=i-.75*s):(r=t-.75*s,n=i+.75*s),Sh(Si(t,r),Si(n,i),.33)}return Si(t,i)}dispose(){this.animationFrameDisposable!==null&&(this.animationFrameDisposable.
dispose(),this.animationFrameDisposable=null)}acceptScrollDimensions(t){this.to=t.withScrollPosition(this.to),this._initAnimations()}tick(){return this._tick(Date.
now())}_tick(t){let i=(t-this.startTime)/this.duration;if(i<1){let s=this.scrollLeft(i),r=this.scrollTop(i);return new Ys(s,r,!1)}return new Ys(this.to.scrollLeft,
this.to.scrollTop,!0)}combine(t,i,s){return qi.start(t,i,s)}static start(t,i,s){s=s+10;let r=Date.now()-10;return new qi(t,i,r,s)}};function wh(e){return Math.pow(
e,3)}function bh(e){return 1-wh(1-e)}var yh=class extends R{constructor(e,t,i){super(),this._visibility=e,this._visibleClassName=t,this._invisibleClassName=i,this.
_domNode=null,this._isVisible=!1,this._isNeeded=!1,this._rawShouldBeVisible=!1,this._shouldBeVisible=!1,this._revealTimer=this._register(new vs)}setVisibility(e){
this._visibility!==e&&(this._visibility=e,this._updateShouldBeVisible())}setShouldBeVisible(e){this._rawShouldBeVisible=e,this._updateShouldBeVisible()}_applyVisibilitySetting(){
return this._visibility===2?!1:this._visibility===3?!0:this._rawShouldBeVisible}_updateShouldBeVisible(){let e=this._applyVisibilitySetting();this._shouldBeVisible!==
e&&(this._shouldBeVisible=e,this.ensureVisibility())}setIsNeeded(e){this._isNeeded!==e&&(this._isNeeded=e,this.ensureVisibility())}setDomNode(e){this._domNode=e,
this._domNode.setClassName(this._invisibleClassName),this.setShouldBeVisible(!1)}ensureVisibility(){if(!this._isNeeded){this._hide(!1);return}this._shouldBeVisible?
this._reveal():this._hide(!0)}_reveal(){this._isVisible||(this._isVisible=!0,this._revealTimer.setIfNotSet(()=>{this._domNode?.setClassName(this._visibleClassName)},
0))}_hide(e){this._revealTimer.cancel(),this._isVisible&&(this._isVisible=!1,this._domNode?.setClassName(this._invisibleClassName+(e?" fade":"")))}},Ch=140,an=class extends Ss{constructor(e){
super(),this._lazyRender=e.lazyRender,this._host=e.host,this._scrollable=e.scrollable,this._scrollByPage=e.scrollByPage,this._scrollbarState=e.scrollbarState,this.
_visibilityController=this._register(new yh(e.visibility,"visible scrollbar "+e.extraScrollbarClassName,"invisible scrollbar "+e.extraScrollbarClassName)),this.
_visibilityController.setIsNeeded(this._scrollbarState.isNeeded()),this._pointerMoveMonitor=this._register(new hn),this._shouldRender=!0,this.domNode=Ct(document.
createElement("div")),this.domNode.setAttribute("role","presentation"),this.domNode.setAttribute("aria-hidden","true"),this._visibilityController.setDomNode(this.
domNode),this.domNode.setPosition("absolute"),this._register(B(this.domNode.domNode,Q.POINTER_DOWN,t=>this._domNodePointerDown(t)))}_createArrow(e){let t=this._register(
new gh(e));this.domNode.domNode.appendChild(t.bgDomNode),this.domNode.domNode.appendChild(t.domNode)}_createSlider(e,t,i,s){this.slider=Ct(document.createElement(
"div")),this.slider.setClassName("slider"),this.slider.setPosition("absolute"),this.slider.setTop(e),this.slider.setLeft(t),typeof i=="number"&&this.slider.setWidth(
i),typeof s=="number"&&this.slider.setHeight(s),this.slider.setLayerHinting(!0),this.slider.setContain("strict"),this.domNode.domNode.appendChild(this.slider.domNode),
this._register(B(this.slider.domNode,Q.POINTER_DOWN,r=>{r.button===0&&(r.preventDefault(),this._sliderPointerDown(r))})),this.onclick(this.slider.domNode,r=>{r.
leftButton&&r.stopPropagation()})}_onElementSize(e){return this._scrollbarState.setVisibleSize(e)&&(this._visibilityController.setIsNeeded(this._scrollbarState.
isNeeded()),this._shouldRender=!0,this._lazyRender||this.render()),this._shouldRender}_onElementScrollSize(e){return this._scrollbarState.setScrollSize(e)&&(this.
_visibilityController.setIsNeeded(this._scrollbarState.isNeeded()),this._shouldRender=!0,this._lazyRender||this.render()),this._shouldRender}_onElementScrollPosition(e){
return this._scrollbarState.setScrollPosition(e)&&(this._visibilityController.setIsNeeded(this._scrollbarState.isNeeded()),this._shouldRender=!0,this._lazyRender||
this.render()),this._shouldRender}beginReveal(){this._visibilityController.setShouldBeVisible(!0)}beginHide(){this._visibilityController.setShouldBeVisible(!1)}render(){
this._shouldRender&&(this._shouldRender=!1,this._renderDomNode(this._scrollbarState.getRectangleLargeSize(),this._scrollbarState.getRectangleSmallSize()),this._updateSlider(
this._scrollbarState.getSliderSize(),this._scrollbarState.getArrowSize()+this._scrollbarState.getSliderPosition()))}_domNodePointerDown(e){e.target===this.domNode.
domNode&&this._onPointerDown(e)}delegatePointerDown(e){let t=this.domNode.domNode.getClientRects()[0].top,i=t+this._scrollbarState.getSliderPosition(),s=t+this.
_scrollbarState.getSliderPosition()+this._scrollbarState.getSliderSize(),r=this._sliderPointerPosition(e);i<=r&&r<=s?e.button===0&&(e.preventDefault(),this._sliderPointerDown(
e)):this._onPointerDown(e)}_onPointerDown(e){let t,i;if(e.target===this.domNode.domNode&&typeof e.offsetX=="number"&&typeof e.offsetY=="number")t=e.offsetX,i=e.
offsetY;else{let r=ch(this.domNode.domNode);t=e.pageX-r.left,i=e.pageY-r.top}let s=this._pointerDownRelativePosition(t,i);this._setDesiredScrollPositionNow(this.
_scrollByPage?this._scrollbarState.getDesiredScrollPositionFromOffsetPaged(s):this._scrollbarState.getDesiredScrollPositionFromOffset(s)),e.button===0&&(e.preventDefault(),
this._sliderPointerDown(e))}_sliderPointerDown(e){if(!e.target||!(e.target instanceof Element))return;let t=this._sliderPointerPosition(e),i=this._sliderOrthogonalPointerPosition(
e),s=this._scrollbarState.clone();this.slider.toggleClassName("active",!0),this._pointerMoveMonitor.startMonitoring(e.target,e.pointerId,e.buttons,r=>{let n=this.
_sliderOrthogonalPointerPosition(r),o=Math.abs(n-i);if(Qr&&o>Ch){this._setDesiredScrollPositionNow(s.getScrollPosition());return}let a=this._sliderPointerPosition(
r)-t;this._setDesiredScrollPositionNow(s.getDesiredScrollPositionFromDelta(a))},()=>{this.slider.toggleClassName("active",!1),this._host.onDragEnd()}),this._host.
onDragStart()}_setDesiredScrollPositionNow(e){let t={};this.writeScrollPosition(t,e),this._scrollable.setScrollPositionNow(t)}updateScrollbarSize(e){this._updateScrollbarSize(
e),this._scrollbarState.setScrollbarSize(e),this._shouldRender=!0,this._lazyRender||this.render()}isNeeded(){return this._scrollbarState.isNeeded()}},ln=class Vi{constructor(t,i,s,r,n,o){
this._scrollbarSize=Math.round(i),this._oppositeScrollbarSize=Math.round(s),this._arrowSize=Math.round(t),this._visibleSize=r,this._scrollSize=n,this._scrollPosition=
o,this._computedAvailableSize=0,this._computedIsNeeded=!1,this._computedSliderSize=0,this._computedSliderRatio=0,this._computedSliderPosition=0,this._refreshComputedValues()}clone(){
return new Vi(this._arrowSize,this._scrollbarSize,this._oppositeScrollbarSize,this._visibleSize,this._scrollSize,this._scrollPosition)}setVisibleSize(t){let i=Math.
round(t);return this._visibleSize!==i?(this._visibleSize=i,this._refreshComputedValues(),!0):!1}setScrollSize(t){let i=Math.round(t);return this._scrollSize!==i?
(this._scrollSize=i,this._refreshComputedValues(),!0):!1}setScrollPosition(t){let i=Math.round(t);return this._scrollPosition!==i?(this._scrollPosition=i,this._refreshComputedValues(),
!0):!1}setScrollbarSize(t){this._scrollbarSize=Math.round(t)}setOppositeScrollbarSize(t){this._oppositeScrollbarSize=Math.round(t)}static _computeValues(t,i,s,r,n){
let o=Math.max(0,s-t),a=Math.max(0,o-2*i),l=r>0&&r>s;if(!l)return{computedAvailableSize:Math.round(o),computedIsNeeded:l,computedSliderSize:Math.round(a),computedSliderRatio:0,
computedSliderPosition:0};let h=Math.round(Math.max(20,Math.floor(s*a/r))),d=(a-h)/(r-s),c=n*d;return{computedAvailableSize:Math.round(o),computedIsNeeded:l,computedSliderSize:Math.
round(h),computedSliderRatio:d,computedSliderPosition:Math.round(c)}}_refreshComputedValues(){let t=Vi._computeValues(this._oppositeScrollbarSize,this._arrowSize,
this._visibleSize,this._scrollSize,this._scrollPosition);this._computedAvailableSize=t.computedAvailableSize,this._computedIsNeeded=t.computedIsNeeded,this._computedSliderSize=
t.computedSliderSize,this._computedSliderRatio=t.computedSliderRatio,this._computedSliderPosition=t.computedSliderPosition}getArrowSize(){return this._arrowSize}getScrollPosition(){
return this._scrollPosition}getRectangleLargeSize(){return this._computedAvailableSize}getRectangleSmallSize(){return this._scrollbarSize}isNeeded(){return this.
_computedIsNeeded}getSliderSize(){return this._computedSliderSize}getSliderPosition(){return this._computedSliderPosition}getDesiredScrollPositionFromOffset(t){
if(!this._computedIsNeeded)return 0;let i=t-this._arrowSize-this._computedSliderSize/2;return Math.round(i/this._computedSliderRatio)}getDesiredScrollPositionFromOffsetPaged(t){
if(!this._computedIsNeeded)return 0;let i=t-this._arrowSize,s=this._scrollPosition;return i<this._computedSliderPosition?s-=this._visibleSize:s+=this._visibleSize,
s}getDesiredScrollPositionFromDelta(t){if(!this._computedIsNeeded)return 0;let i=this._computedSliderPosition+t;return Math.round(i/this._computedSliderRatio)}},
kh=class extends an{constructor(e,t,i){let s=e.getScrollDimensions(),r=e.getCurrentScrollPosition();if(super({lazyRender:t.lazyRender,host:i,scrollbarState:new ln(
t.horizontalHasArrows?t.arrowSize:0,t.horizontal===2?0:t.horizontalScrollbarSize,t.vertical===2?0:t.verticalScrollbarSize,s.width,s.scrollWidth,r.scrollLeft),visibility:t.
horizontal,extraScrollbarClassName:"horizontal",scrollable:e,scrollByPage:t.scrollByPage}),t.horizontalHasArrows)throw new Error("horizontalHasArrows is not sup\
ported in xterm.js");this._createSlider(Math.floor((t.horizontalScrollbarSize-t.horizontalSliderSize)/2),0,void 0,t.horizontalSliderSize)}_updateSlider(e,t){this.
slider.setWidth(e),this.slider.setLeft(t)}_renderDomNode(e,t){this.domNode.setWidth(e),this.domNode.setHeight(t),this.domNode.setLeft(0),this.domNode.setBottom(
0)}onDidScroll(e){return this._shouldRender=this._onElementScrollSize(e.scrollWidth)||this._shouldRender,this._shouldRender=this._onElementScrollPosition(e.scrollLeft)||
this._shouldRender,this._shouldRender=this._onElementSize(e.width)||this._shouldRender,this._shouldRender}_pointerDownRelativePosition(e,t){return e}_sliderPointerPosition(e){
return e.pageX}_sliderOrthogonalPointerPosition(e){return e.pageY}_updateScrollbarSize(e){this.slider.setHeight(e)}writeScrollPosition(e,t){e.scrollLeft=t}updateOptions(e){
this.updateScrollbarSize(e.horizontal===2?0:e.horizontalScrollbarSize),this._scrollbarState.setOppositeScrollbarSize(e.vertical===2?0:e.verticalScrollbarSize),this.
_visibilityController.setVisibility(e.horizontal),this._scrollByPage=e.scrollByPage}},xh=class extends an{constructor(e,t,i){let s=e.getScrollDimensions(),r=e.getCurrentScrollPosition();
if(super({lazyRender:t.lazyRender,host:i,scrollbarState:new ln(t.verticalHasArrows?t.arrowSize:0,t.vertical===2?0:t.verticalScrollbarSize,0,s.height,s.scrollHeight,
r.scrollTop),visibility:t.vertical,extraScrollbarClassName:"vertical",scrollable:e,scrollByPage:t.scrollByPage}),t.verticalHasArrows)throw new Error("horizontal\
HasArrows is not supported in xterm.js");this._createSlider(0,Math.floor((t.verticalScrollbarSize-t.verticalSliderSize)/2),t.verticalSliderSize,void 0)}_updateSlider(e,t){
this.slider.setHeight(e),this.slider.setTop(t)}_renderDomNode(e,t){this.domNode.setWidth(t),this.domNode.setHeight(e),this.domNode.setRight(0),this.domNode.setTop(
0)}onDidScroll(e){return this._shouldRender=this._onElementScrollSize(e.scrollHeight)||this._shouldRender,this._shouldRender=this._onElementScrollPosition(e.scrollTop)||
this._shouldRender,this._shouldRender=this._onElementSize(e.height)||this._shouldRender,this._shouldRender}_pointerDownRelativePosition(e,t){return t}_sliderPointerPosition(e){
return e.pageY}_sliderOrthogonalPointerPosition(e){return e.pageX}_updateScrollbarSize(e){this.slider.setWidth(e)}writeScrollPosition(e,t){e.scrollTop=t}updateOptions(e){
this.updateScrollbarSize(e.vertical===2?0:e.verticalScrollbarSize),this._scrollbarState.setOppositeScrollbarSize(0),this._visibilityController.setVisibility(e.vertical),
this._scrollByPage=e.scrollByPage}},Eh=500,Xs=50,Gs=!0,Dh=class{constructor(e,t,i){this.timestamp=e,this.deltaX=t,this.deltaY=i,this.score=0}},Yi=class{constructor(){
this._capacity=5,this._memory=[],this._front=-1,this._rear=-1}isPhysicalMouseWheel(){if(this._front===-1&&this._rear===-1)return!1;let t=1,i=0,s=1,r=this._rear;
do{let n=r===this._front?t:Math.pow(2,-s);if(t-=n,i+=this._memory[r].score*n,r===this._front)break;r=(this._capacity+r-1)%this._capacity,s++}while(!0);return i<=
.5}acceptStandardWheelEvent(t){if(ps){let i=ye(t.browserEvent),s=wo(i);this.accept(Date.now(),t.deltaX*s,t.deltaY*s)}else this.accept(Date.now(),t.deltaX,t.deltaY)}accept(t,i,s){
let r=null,n=new Dh(t,i,s);this._front===-1&&this._rear===-1?(this._memory[0]=n,this._front=0,this._rear=0):(r=this._memory[this._rear],this._rear=(this._rear+1)%
this._capacity,this._rear===this._front&&(this._front=(this._front+1)%this._capacity),this._memory[this._rear]=n),n.score=this._computeScore(n,r)}_computeScore(t,i){
if(Math.abs(t.deltaX)>0&&Math.abs(t.deltaY)>0)return 1;let s=.5;if((!this._isAlmostInt(t.deltaX)||!this._isAlmostInt(t.deltaY))&&(s+=.25),i){let r=Math.abs(t.deltaX),
n=Math.abs(t.deltaY),o=Math.abs(i.deltaX),a=Math.abs(i.deltaY),l=Math.max(Math.min(r,o),1),h=Math.max(Math.min(n,a),1),d=Math.max(r,o),c=Math.max(n,a);d%l===0&&
c%h===0&&(s-=.5)}return Math.min(Math.max(s,0),1)}_isAlmostInt(t){return Math.abs(Math.round(t)-t)<.01}};Yi.INSTANCE=new Yi;var Bh=Yi,Rh=class extends Ss{constructor(e,t,i){
super(),this._onScroll=this._register(new v),this.onScroll=this._onScroll.event,this._onWillScroll=this._register(new v),this.onWillScroll=this._onWillScroll.event,
this._options=Mh(t),this._scrollable=i,this._register(this._scrollable.onScroll(r=>{this._onWillScroll.fire(r),this._onDidScroll(r),this._onScroll.fire(r)}));let s={
onMouseWheel:r=>this._onMouseWheel(r),onDragStart:()=>this._onDragStart(),onDragEnd:()=>this._onDragEnd()};this._verticalScrollbar=this._register(new xh(this._scrollable,
this._options,s)),this._horizontalScrollbar=this._register(new kh(this._scrollable,this._options,s)),this._domNode=document.createElement("div"),this._domNode.className=
"xterm-scrollable-element "+this._options.className,this._domNode.setAttribute("role","presentation"),this._domNode.style.position="relative",this._domNode.appendChild(
e),this._domNode.appendChild(this._horizontalScrollbar.domNode.domNode),this._domNode.appendChild(this._verticalScrollbar.domNode.domNode),this._options.useShadows?
(this._leftShadowDomNode=Ct(document.createElement("div")),this._leftShadowDomNode.setClassName("shadow"),this._domNode.appendChild(this._leftShadowDomNode.domNode),
this._topShadowDomNode=Ct(document.createElement("div")),this._topShadowDomNode.setClassName("shadow"),this._domNode.appendChild(this._topShadowDomNode.domNode),
this._topLeftShadowDomNode=Ct(document.createElement("div")),this._topLeftShadowDomNode.setClassName("shadow"),this._domNode.appendChild(this._topLeftShadowDomNode.
domNode)):(this._leftShadowDomNode=null,this._topShadowDomNode=null,this._topLeftShadowDomNode=null),this._listenOnDomNode=this._options.listenOnDomNode||this._domNode,
this._mouseWheelToDispose=[],this._setListeningToMouseWheel(this._options.handleMouseWheel),this.onmouseover(this._listenOnDomNode,r=>this._onMouseOver(r)),this.
onmouseleave(this._listenOnDomNode,r=>this._onMouseLeave(r)),this._hideTimeout=this._register(new vs),this._isDragging=!1,this._mouseIsOver=!1,this._shouldRender=
!0,this._revealOnScroll=!0}get options(){return this._options}dispose(){this._mouseWheelToDispose=Qe(this._mouseWheelToDispose),super.dispose()}getDomNode(){return this.
_domNode}getOverviewRulerLayoutInfo(){return{parent:this._domNode,insertBefore:this._verticalScrollbar.domNode.domNode}}delegateVerticalScrollbarPointerDown(e){
this._verticalScrollbar.delegatePointerDown(e)}getScrollDimensions(){return this._scrollable.getScrollDimensions()}setScrollDimensions(e){this._scrollable.setScrollDimensions(
e,!1)}updateClassName(e){this._options.className=e,Be&&(this._options.className+=" mac"),this._domNode.className="xterm-scrollable-element "+this._options.className}updateOptions(e){
typeof e.handleMouseWheel<"u"&&(this._options.handleMouseWheel=e.handleMouseWheel,this._setListeningToMouseWheel(this._options.handleMouseWheel)),typeof e.mouseWheelScrollSensitivity<
"u"&&(this._options.mouseWheelScrollSensitivity=e.mouseWheelScrollSensitivity),typeof e.fastScrollSensitivity<"u"&&(this._options.fastScrollSensitivity=e.fastScrollSensitivity),
typeof e.scrollPredominantAxis<"u"&&(this._options.scrollPredominantAxis=e.scrollPredominantAxis),typeof e.horizontal<"u"&&(this._options.horizontal=e.horizontal),
typeof e.vertical<"u"&&(this._options.vertical=e.vertical),typeof e.horizontalScrollbarSize<"u"&&(this._options.horizontalScrollbarSize=e.horizontalScrollbarSize),
typeof e.verticalScrollbarSize<"u"&&(this._options.verticalScrollbarSize=e.verticalScrollbarSize),typeof e.scrollByPage<"u"&&(this._options.scrollByPage=e.scrollByPage),
this._horizontalScrollbar.updateOptions(this._options),this._verticalScrollbar.updateOptions(this._options),this._options.lazyRender||this._render()}setRevealOnScroll(e){
this._revealOnScroll=e}delegateScrollFromMouseWheelEvent(e){this._onMouseWheel(new Ws(e))}_setListeningToMouseWheel(e){if(this._mouseWheelToDispose.length>0!==e&&
(this._mouseWheelToDispose=Qe(this._mouseWheelToDispose),e)){let t=i=>{this._onMouseWheel(new Ws(i))};this._mouseWheelToDispose.push(B(this._listenOnDomNode,Q.MOUSE_WHEEL,
t,{passive:!1}))}}_onMouseWheel(e){if(e.browserEvent?.defaultPrevented)return;let t=Bh.INSTANCE;Gs&&t.acceptStandardWheelEvent(e);let i=!1;if(e.deltaY||e.deltaX){
let r=e.deltaY*this._options.mouseWheelScrollSensitivity,n=e.deltaX*this._options.mouseWheelScrollSensitivity;this._options.scrollPredominantAxis&&(this._options.
scrollYToX&&n+r===0?n=r=0:Math.abs(r)>=Math.abs(n)?n=0:r=0),this._options.flipAxes&&([r,n]=[n,r]);let o=!Be&&e.browserEvent&&e.browserEvent.shiftKey;(this._options.
scrollYToX||o)&&!n&&(n=r,r=0),e.browserEvent&&e.browserEvent.altKey&&(n=n*this._options.fastScrollSensitivity,r=r*this._options.fastScrollSensitivity);let a=this.
_scrollable.getFutureScrollPosition(),l={};if(r){let h=Xs*r,d=a.scrollTop-(h<0?Math.floor(h):Math.ceil(h));this._verticalScrollbar.writeScrollPosition(l,d)}if(n){
let h=Xs*n,d=a.scrollLeft-(h<0?Math.floor(h):Math.ceil(h));this._horizontalScrollbar.writeScrollPosition(l,d)}l=this._scrollable.validateScrollPosition(l),(a.scrollLeft!==
l.scrollLeft||a.scrollTop!==l.scrollTop)&&(Gs&&this._options.mouseWheelSmoothScroll&&t.isPhysicalMouseWheel()?this._scrollable.setScrollPositionSmooth(l):this._scrollable.
setScrollPositionNow(l),i=!0)}let s=i;!s&&this._options.alwaysConsumeMouseWheel&&(s=!0),!s&&this._options.consumeMouseWheelIfScrollbarIsNeeded&&(this._verticalScrollbar.
isNeeded()||this._horizontalScrollbar.isNeeded())&&(s=!0),s&&(e.preventDefault(),e.stopPropagation())}_onDidScroll(e){this._shouldRender=this._horizontalScrollbar.
onDidScroll(e)||this._shouldRender,this._shouldRender=this._verticalScrollbar.onDidScroll(e)||this._shouldRender,this._options.useShadows&&(this._shouldRender=!0),
this._revealOnScroll&&this._reveal(),this._options.lazyRender||this._render()}renderNow(){if(!this._options.lazyRender)throw new Error("Please use `lazyRender` \
together with `renderNow`!");this._render()}_render(){if(this._shouldRender&&(this._shouldRender=!1,this._horizontalScrollbar.render(),this._verticalScrollbar.render(),
this._options.useShadows)){let e=this._scrollable.getCurrentScrollPosition(),t=e.scrollTop>0,i=e.scrollLeft>0,s=i?" left":"",r=t?" top":"",n=i||t?" top-left-cor\
ner":"";this._leftShadowDomNode.setClassName(`shadow${s}`),this._topShadowDomNode.setClassName(`shadow${r}`),this._topLeftShadowDomNode.setClassName(`shadow${n}${r}${s}`)}}_onDragStart(){
this._isDragging=!0,this._reveal()}_onDragEnd(){this._isDragging=!1,this._hide()}_onMouseLeave(e){this._mouseIsOver=!1,this._hide()}_onMouseOver(e){this._mouseIsOver=
!0,this._reveal()}_reveal(){this._verticalScrollbar.beginReveal(),this._horizontalScrollbar.beginReveal(),this._scheduleHide()}_hide(){!this._mouseIsOver&&!this.
_isDragging&&(this._verticalScrollbar.beginHide(),this._horizontalScrollbar.beginHide())}_scheduleHide(){!this._mouseIsOver&&!this._isDragging&&this._hideTimeout.
cancelAndSet(()=>this._hide(),Eh)}},Lh=class extends Rh{constructor(e,t,i){super(e,t,i)}setScrollPosition(e){e.reuseAnimation?this._scrollable.setScrollPositionSmooth(
e,e.reuseAnimation):this._scrollable.setScrollPositionNow(e)}getScrollPosition(){return this._scrollable.getCurrentScrollPosition()}};function Mh(e){let t={lazyRender:typeof e.
lazyRender<"u"?e.lazyRender:!1,className:typeof e.className<"u"?e.className:"",useShadows:typeof e.useShadows<"u"?e.useShadows:!0,handleMouseWheel:typeof e.handleMouseWheel<
"u"?e.handleMouseWheel:!0,flipAxes:typeof e.flipAxes<"u"?e.flipAxes:!1,consumeMouseWheelIfScrollbarIsNeeded:typeof e.consumeMouseWheelIfScrollbarIsNeeded<"u"?e.
consumeMouseWheelIfScrollbarIsNeeded:!1,alwaysConsumeMouseWheel:typeof e.alwaysConsumeMouseWheel<"u"?e.alwaysConsumeMouseWheel:!1,scrollYToX:typeof e.scrollYToX<
"u"?e.scrollYToX:!1,mouseWheelScrollSensitivity:typeof e.mouseWheelScrollSensitivity<"u"?e.mouseWheelScrollSensitivity:1,fastScrollSensitivity:typeof e.fastScrollSensitivity<
"u"?e.fastScrollSensitivity:5,scrollPredominantAxis:typeof e.scrollPredominantAxis<"u"?e.scrollPredominantAxis:!0,mouseWheelSmoothScroll:typeof e.mouseWheelSmoothScroll<
"u"?e.mouseWheelSmoothScroll:!0,arrowSize:typeof e.arrowSize<"u"?e.arrowSize:11,listenOnDomNode:typeof e.listenOnDomNode<"u"?e.listenOnDomNode:null,horizontal:typeof e.
horizontal<"u"?e.horizontal:1,horizontalScrollbarSize:typeof e.horizontalScrollbarSize<"u"?e.horizontalScrollbarSize:10,horizontalSliderSize:typeof e.horizontalSliderSize<
"u"?e.horizontalSliderSize:0,horizontalHasArrows:typeof e.horizontalHasArrows<"u"?e.horizontalHasArrows:!1,vertical:typeof e.vertical<"u"?e.vertical:1,verticalScrollbarSize:typeof e.
verticalScrollbarSize<"u"?e.verticalScrollbarSize:10,verticalHasArrows:typeof e.verticalHasArrows<"u"?e.verticalHasArrows:!1,verticalSliderSize:typeof e.verticalSliderSize<
"u"?e.verticalSliderSize:0,scrollByPage:typeof e.scrollByPage<"u"?e.scrollByPage:!1};return t.horizontalSliderSize=typeof e.horizontalSliderSize<"u"?e.horizontalSliderSize:
t.horizontalScrollbarSize,t.verticalSliderSize=typeof e.verticalSliderSize<"u"?e.verticalSliderSize:t.verticalScrollbarSize,Be&&(t.className+=" mac"),t}var ji=class extends R{constructor(e,t,i,s,r,n,o,a){
super(),this._bufferService=i,this._optionsService=o,this._renderService=a,this._onRequestScrollLines=this._register(new v),this.onRequestScrollLines=this._onRequestScrollLines.
event,this._isSyncing=!1,this._isHandlingScroll=!1,this._suppressOnScrollHandler=!1;let l=this._register(new mh({forceIntegerValues:!1,smoothScrollDuration:this.
_optionsService.rawOptions.smoothScrollDuration,scheduleAtNextAnimationFrame:h=>Zt(s.window,h)}));this._register(this._optionsService.onSpecificOptionChange("sm\
oothScrollDuration",()=>{l.setSmoothScrollDuration(this._optionsService.rawOptions.smoothScrollDuration)})),this._scrollableElement=this._register(new Lh(t,{vertical:1,
horizontal:2,useShadows:!1,mouseWheelSmoothScroll:!0,...this._getChangeOptions()},l)),this._register(this._optionsService.onMultipleOptionChange(["scrollSensiti\
vity","fastScrollSensitivity","overviewRuler"],()=>this._scrollableElement.updateOptions(this._getChangeOptions()))),this._register(r.onProtocolChange(h=>{this.
_scrollableElement.updateOptions({handleMouseWheel:!(h&16)})})),this._scrollableElement.setScrollDimensions({height:0,scrollHeight:0}),this._register(oe.runAndSubscribe(
n.onChangeColors,()=>{this._scrollableElement.getDomNode().style.backgroundColor=n.colors.background.css})),e.appendChild(this._scrollableElement.getDomNode()),
this._register(W(()=>this._scrollableElement.getDomNode().remove())),this._styleElement=s.mainDocument.createElement("style"),t.appendChild(this._styleElement),
this._register(W(()=>this._styleElement.remove())),this._register(oe.runAndSubscribe(n.onChangeColors,()=>{this._styleElement.textContent=[".xterm .xterm-scroll\
able-element > .scrollbar > .slider {",`  background: ${n.colors.scrollbarSliderBackground.css};`,"}",".xterm .xterm-scrollable-element > .scrollbar > .slider:h\
over {",`  background: ${n.colors.scrollbarSliderHoverBackground.css};`,"}",".xterm .xterm-scrollable-element > .scrollbar > .slider.active {",`  background: ${n.
colors.scrollbarSliderActiveBackground.css};`,"}"].join(`
`)})),this._register(this._bufferService.onResize(()=>this.queueSync())),this._register(this._bufferService.buffers.onBufferActivate(()=>{this._latestYDisp=void 0,
this.queueSync()})),this._register(this._bufferService.onScroll(()=>this._sync())),this._register(this._scrollableElement.onScroll(h=>this._handleScroll(h)))}scrollLines(e){
let t=this._scrollableElement.getScrollPosition();this._scrollableElement.setScrollPosition({reuseAnimation:!0,scrollTop:t.scrollTop+e*this._renderService.dimensions.
css.cell.height})}scrollToLine(e,t){t&&(this._latestYDisp=e),this._scrollableElement.setScrollPosition({reuseAnimation:!t,scrollTop:e*this._renderService.dimensions.
css.cell.height})}_getChangeOptions(){return{mouseWheelScrollSensitivity:this._optionsService.rawOptions.scrollSensitivity,fastScrollSensitivity:this._optionsService.
rawOptions.fastScrollSensitivity,verticalScrollbarSize:this._optionsService.rawOptions.overviewRuler?.width||14}}queueSync(e){e!==void 0&&(this._latestYDisp=e),
this._queuedAnimationFrame===void 0&&(this._queuedAnimationFrame=this._renderService.addRefreshCallback(()=>{this._queuedAnimationFrame=void 0,this._sync(this._latestYDisp)}))}_sync(e=this.
_bufferService.buffer.ydisp){!this._renderService||this._isSyncing||(this._isSyncing=!0,this._suppressOnScrollHandler=!0,this._scrollableElement.setScrollDimensions(
{height:this._renderService.dimensions.css.canvas.height,scrollHeight:this._renderService.dimensions.css.cell.height*this._bufferService.buffer.lines.length}),this.
_suppressOnScrollHandler=!1,e!==this._latestYDisp&&this._scrollableElement.setScrollPosition({scrollTop:e*this._renderService.dimensions.css.cell.height}),this.
_isSyncing=!1)}_handleScroll(e){if(!this._renderService||this._isHandlingScroll||this._suppressOnScrollHandler)return;this._isHandlingScroll=!0;let t=Math.round(
e.scrollTop/this._renderService.dimensions.css.cell.height),i=t-this._bufferService.buffer.ydisp;i!==0&&(this._latestYDisp=t,this._onRequestScrollLines.fire(i)),
this._isHandlingScroll=!1}};ji=q([y(2,ce),y(3,Oe),y(4,Tr),y(5,nt),y(6,de),y(7,Ie)],ji);var Xi=class extends R{constructor(e,t,i,s,r){super(),this._screenElement=
e,this._bufferService=t,this._coreBrowserService=i,this._decorationService=s,this._renderService=r,this._decorationElements=new Map,this._altBufferIsActive=!1,this.
_dimensionsChanged=!1,this._container=document.createElement("div"),this._container.classList.add("xterm-decoration-container"),this._screenElement.appendChild(
this._container),this._register(this._renderService.onRenderedViewportChange(()=>this._doRefreshDecorations())),this._register(this._renderService.onDimensionsChange(
()=>{this._dimensionsChanged=!0,this._queueRefresh()})),this._register(this._coreBrowserService.onDprChange(()=>this._queueRefresh())),this._register(this._bufferService.
buffers.onBufferActivate(()=>{this._altBufferIsActive=this._bufferService.buffer===this._bufferService.buffers.alt})),this._register(this._decorationService.onDecorationRegistered(
()=>this._queueRefresh())),this._register(this._decorationService.onDecorationRemoved(n=>this._removeDecoration(n))),this._register(W(()=>{this._container.remove(),
this._decorationElements.clear()}))}_queueRefresh(){this._animationFrame===void 0&&(this._animationFrame=this._renderService.addRefreshCallback(()=>{this._doRefreshDecorations(),
this._animationFrame=void 0}))}_doRefreshDecorations(){for(let e of this._decorationService.decorations)this._renderDecoration(e);this._dimensionsChanged=!1}_renderDecoration(e){
this._refreshStyle(e),this._dimensionsChanged&&this._refreshXPosition(e)}_createElement(e){let t=this._coreBrowserService.mainDocument.createElement("div");t.classList.
add("xterm-decoration"),t.classList.toggle("xterm-decoration-top-layer",e?.options?.layer==="top"),t.style.width=`${Math.round((e.options.width||1)*this._renderService.
dimensions.css.cell.width)}px`,t.style.height=`${(e.options.height||1)*this._renderService.dimensions.css.cell.height}px`,t.style.top=`${(e.marker.line-this._bufferService.
buffers.active.ydisp)*this._renderService.dimensions.css.cell.height}px`,t.style.lineHeight=`${this._renderService.dimensions.css.cell.height}px`;let i=e.options.
x??0;return i&&i>this._bufferService.cols&&(t.style.display="none"),this._refreshXPosition(e,t),t}_refreshStyle(e){let t=e.marker.line-this._bufferService.buffers.
active.ydisp;if(t<0||t>=this._bufferService.rows)e.element&&(e.element.style.display="none",e.onRenderEmitter.fire(e.element));else{let i=this._decorationElements.
get(e);i||(i=this._createElement(e),e.element=i,this._decorationElements.set(e,i),this._container.appendChild(i),e.onDispose(()=>{this._decorationElements.delete(
e),i.remove()})),i.style.display=this._altBufferIsActive?"none":"block",this._altBufferIsActive||(i.style.width=`${Math.round((e.options.width||1)*this._renderService.
dimensions.css.cell.width)}px`,i.style.height=`${(e.options.height||1)*this._renderService.dimensions.css.cell.height}px`,i.style.top=`${t*this._renderService.dimensions.
css.cell.height}px`,i.style.lineHeight=`${this._renderService.dimensions.css.cell.height}px`),e.onRenderEmitter.fire(i)}}_refreshXPosition(e,t=e.element){if(!t)
return;let i=e.options.x??0;(e.options.anchor||"left")==="right"?t.style.right=i?`${i*this._renderService.dimensions.css.cell.width}px`:"":t.style.left=i?`${i*this.
_renderService.dimensions.css.cell.width}px`:""}_removeDecoration(e){this._decorationElements.get(e)?.remove(),this._decorationElements.delete(e),e.dispose()}};
Xi=q([y(1,ce),y(2,Oe),y(3,Rt),y(4,Ie)],Xi);var Ph=class{constructor(){this._zones=[],this._zonePool=[],this._zonePoolIndex=0,this._linePadding={full:0,left:0,center:0,
right:0}}get zones(){return this._zonePool.length=Math.min(this._zonePool.length,this._zones.length),this._zones}clear(){this._zones.length=0,this._zonePoolIndex=
0}addDecoration(e){if(e.options.overviewRulerOptions){for(let t of this._zones)if(t.color===e.options.overviewRulerOptions.color&&t.position===e.options.overviewRulerOptions.
position){if(this._lineIntersectsZone(t,e.marker.line))return;if(this._lineAdjacentToZone(t,e.marker.line,e.options.overviewRulerOptions.position)){this._addLineToZone(
t,e.marker.line);return}}if(this._zonePoolIndex<this._zonePool.length){this._zonePool[this._zonePoolIndex].color=e.options.overviewRulerOptions.color,this._zonePool[this.
_zonePoolIndex].position=e.options.overviewRulerOptions.position,this._zonePool[this._zonePoolIndex].startBufferLine=e.marker.line,this._zonePool[this._zonePoolIndex].
endBufferLine=e.marker.line,this._zones.push(this._zonePool[this._zonePoolIndex++]);return}this._zones.push({color:e.options.overviewRulerOptions.color,position:e.
options.overviewRulerOptions.position,startBufferLine:e.marker.line,endBufferLine:e.marker.line}),this._zonePool.push(this._zones[this._zones.length-1]),this._zonePoolIndex++}}setPadding(e){
this._linePadding=e}_lineIntersectsZone(e,t){return t>=e.startBufferLine&&t<=e.endBufferLine}_lineAdjacentToZone(e,t,i){return t>=e.startBufferLine-this._linePadding[i||
"full"]&&t<=e.endBufferLine+this._linePadding[i||"full"]}_addLineToZone(e,t){e.startBufferLine=Math.min(e.startBufferLine,t),e.endBufferLine=Math.max(e.endBufferLine,
t)}},xe={full:0,left:0,center:0,right:0},$e={full:0,left:0,center:0,right:0},ct={full:0,left:0,center:0,right:0},Qt=class extends R{constructor(e,t,i,s,r,n,o,a){
super(),this._viewportElement=e,this._screenElement=t,this._bufferService=i,this._decorationService=s,this._renderService=r,this._optionsService=n,this._themeService=
o,this._coreBrowserService=a,this._colorZoneStore=new Ph,this._shouldUpdateDimensions=!0,this._shouldUpdateAnchor=!0,this._lastKnownBufferLength=0,this._canvas=
this._coreBrowserService.mainDocument.createElement("canvas"),this._canvas.classList.add("xterm-decoration-overview-ruler"),this._refreshCanvasDimensions(),this.
_viewportElement.parentElement?.insertBefore(this._canvas,this._viewportElement),this._register(W(()=>this._canvas?.remove()));let l=this._canvas.getContext("2d");
if(l)this._ctx=l;else throw new Error("Ctx cannot be null");this._register(this._decorationService.onDecorationRegistered(()=>this._queueRefresh(void 0,!0))),this.
_register(this._decorationService.onDecorationRemoved(()=>this._queueRefresh(void 0,!0))),this._register(this._renderService.onRenderedViewportChange(()=>this._queueRefresh())),
this._register(this._bufferService.buffers.onBufferActivate(()=>{this._canvas.style.display=this._bufferService.buffer===this._bufferService.buffers.alt?"none":
"block"})),this._register(this._bufferService.onScroll(()=>{this._lastKnownBufferLength!==this._bufferService.buffers.normal.lines.length&&(this._refreshDrawHeightConstants(),
this._refreshColorZonePadding())})),this._register(this._renderService.onRender(()=>{(!this._containerHeight||this._containerHeight!==this._screenElement.clientHeight)&&
(this._queueRefresh(!0),this._containerHeight=this._screenElement.clientHeight)})),this._register(this._coreBrowserService.onDprChange(()=>this._queueRefresh(!0))),
this._register(this._optionsService.onSpecificOptionChange("overviewRuler",()=>this._queueRefresh(!0))),this._register(this._themeService.onChangeColors(()=>this.
_queueRefresh())),this._queueRefresh(!0)}get _width(){return this._optionsService.options.overviewRuler?.width||0}_refreshDrawConstants(){let e=Math.floor((this.
_canvas.width-1)/3),t=Math.ceil((this._canvas.width-1)/3);$e.full=this._canvas.width,$e.left=e,$e.center=t,$e.right=e,this._refreshDrawHeightConstants(),ct.full=
1,ct.left=1,ct.center=1+$e.left,ct.right=1+$e.left+$e.center}_refreshDrawHeightConstants(){xe.full=Math.round(2*this._coreBrowserService.dpr);let e=this._canvas.
height/this._bufferService.buffer.lines.length,t=Math.round(Math.max(Math.min(e,12),6)*this._coreBrowserService.dpr);xe.left=t,xe.center=t,xe.right=t}_refreshColorZonePadding(){
this._colorZoneStore.setPadding({full:Math.floor(this._bufferService.buffers.active.lines.length/(this._canvas.height-1)*xe.full),left:Math.floor(this._bufferService.
buffers.active.lines.length/(this._canvas.height-1)*xe.left),center:Math.floor(this._bufferService.buffers.active.lines.length/(this._canvas.height-1)*xe.center),
right:Math.floor(this._bufferService.buffers.active.lines.length/(this._canvas.height-1)*xe.right)}),this._lastKnownBufferLength=this._bufferService.buffers.normal.
lines.length}_refreshCanvasDimensions(){this._canvas.style.width=`${this._width}px`,this._canvas.width=Math.round(this._width*this._coreBrowserService.dpr),this.
_canvas.style.height=`${this._screenElement.clientHeight}px`,this._canvas.height=Math.round(this._screenElement.clientHeight*this._coreBrowserService.dpr),this.
_refreshDrawConstants(),this._refreshColorZonePadding()}_refreshDecorations(){this._shouldUpdateDimensions&&this._refreshCanvasDimensions(),this._ctx.clearRect(
0,0,this._canvas.width,this._canvas.height),this._colorZoneStore.clear();for(let t of this._decorationService.decorations)this._colorZoneStore.addDecoration(t);
this._ctx.lineWidth=1,this._renderRulerOutline();let e=this._colorZoneStore.zones;for(let t of e)t.position!=="full"&&this._renderColorZone(t);for(let t of e)t.
position==="full"&&this._renderColorZone(t);this._shouldUpdateDimensions=!1,this._shouldUpdateAnchor=!1}_renderRulerOutline(){this._ctx.fillStyle=this._themeService.
colors.overviewRulerBorder.css,this._ctx.fillRect(0,0,1,this._canvas.height),this._optionsService.rawOptions.overviewRuler.showTopBorder&&this._ctx.fillRect(1,0,
this._canvas.width-1,1),this._optionsService.rawOptions.overviewRuler.showBottomBorder&&this._ctx.fillRect(1,this._canvas.height-1,this._canvas.width-1,this._canvas.
height)}_renderColorZone(e){this._ctx.fillStyle=e.color,this._ctx.fillRect(ct[e.position||"full"],Math.round((this._canvas.height-1)*(e.startBufferLine/this._bufferService.
buffers.active.lines.length)-xe[e.position||"full"]/2),$e[e.position||"full"],Math.round((this._canvas.height-1)*((e.endBufferLine-e.startBufferLine)/this._bufferService.
buffers.active.lines.length)+xe[e.position||"full"]))}_queueRefresh(e,t){this._shouldUpdateDimensions=e||this._shouldUpdateDimensions,this._shouldUpdateAnchor=t||
this._shouldUpdateAnchor,this._animationFrame===void 0&&(this._animationFrame=this._coreBrowserService.window.requestAnimationFrame(()=>{this._refreshDecorations(),
this._animationFrame=void 0}))}};Qt=q([y(2,ce),y(3,Rt),y(4,Ie),y(5,de),y(6,nt),y(7,Oe)],Qt);var g;(e=>(e.NUL="\0",e.SOH="",e.STX="",e.ETX="",e.EOT="",e.ENQ=
"",e.ACK="",e.BEL="\x07",e.BS="\b",e.HT="	",e.LF=`
`,e.VT="\v",e.FF="\f",e.CR="\r",e.SO="",e.SI="",e.DLE="",e.DC1="",e.DC2="",e.DC3="",e.DC4="",e.NAK="",e.SYN="",e.ETB="",e.CAN="",e.EM="",e.SUB="",e.
ESC="\x1B",e.FS="",e.GS="",e.RS="",e.US="",e.SP=" ",e.DEL="\x7F"))(g||={});var Vt;(e=>(e.PAD="\x80",e.HOP="\x81",e.BPH="\x82",e.NBH="\x83",e.IND="\x84",e.NEL=
"\x85",e.SSA="\x86",e.ESA="\x87",e.HTS="\x88",e.HTJ="\x89",e.VTS="\x8A",e.PLD="\x8B",e.PLU="\x8C",e.RI="\x8D",e.SS2="\x8E",e.SS3="\x8F",e.DCS="\x90",e.PU1="\x91",
e.PU2="\x92",e.STS="\x93",e.CCH="\x94",e.MW="\x95",e.SPA="\x96",e.EPA="\x97",e.SOS="\x98",e.SGCI="\x99",e.SCI="\x9A",e.CSI="\x9B",e.ST="\x9C",e.OSC="\x9D",e.PM=
"\x9E",e.APC="\x9F"))(Vt||={});var cn;(e=>e.ST=`${g.ESC}\\`)(cn||={});var Gi=class{constructor(e,t,i,s,r,n){this._textarea=e,this._compositionView=t,this._bufferService=
i,this._optionsService=s,this._coreService=r,this._renderService=n,this._isComposing=!1,this._isSendingComposition=!1,this._compositionPosition={start:0,end:0},
this._dataAlreadySent=""}get isComposing(){return this._isComposing}compositionstart(){this._isComposing=!0,this._compositionPosition.start=this._textarea.value.
length,this._compositionView.textContent="",this._dataAlreadySent="",this._compositionView.classList.add("active")}compositionupdate(e){this._compositionView.textContent=
e.data,this.updateCompositionElements(),setTimeout(()=>{this._compositionPosition.end=this._textarea.value.length},0)}compositionend(){this._finalizeComposition(
!0)}keydown(e){if(this._isComposing||this._isSendingComposition){if(e.keyCode===20||e.keyCode===229||e.keyCode===16||e.keyCode===17||e.keyCode===18)return!1;this.
_finalizeComposition(!1)}return e.keyCode===229?(this._handleAnyTextareaChanges(),!1):!0}_finalizeComposition(e){if(this._compositionView.classList.remove("acti\
ve"),this._isComposing=!1,e){let t={start:this._compositionPosition.start,end:this._compositionPosition.end};this._isSendingComposition=!0,setTimeout(()=>{if(this.
_isSendingComposition){this._isSendingComposition=!1;let i;t.start+=this._dataAlreadySent.length,this._isComposing?i=this._textarea.value.substring(t.start,this.
_compositionPosition.start):i=this._textarea.value.substring(t.start),i.length>0&&this._coreService.triggerDataEvent(i,!0)}},0)}else{this._isSendingComposition=
!1;let t=this._textarea.value.substring(this._compositionPosition.start,this._compositionPosition.end);this._coreService.triggerDataEvent(t,!0)}}_handleAnyTextareaChanges(){
let e=this._textarea.value;setTimeout(()=>{if(!this._isComposing){let t=this._textarea.value,i=t.replace(e,"");this._dataAlreadySent=i,t.length>e.length?this._coreService.
triggerDataEvent(i,!0):t.length<e.length?this._coreService.triggerDataEvent(`${g.DEL}`,!0):t.length===e.length&&t!==e&&this._coreService.triggerDataEvent(t,!0)}},
0)}updateCompositionElements(e){if(this._isComposing){if(this._bufferService.buffer.isCursorInViewport){let t=Math.min(this._bufferService.buffer.x,this._bufferService.
cols-1),i=this._renderService.dimensions.css.cell.height,s=this._bufferService.buffer.y*this._renderService.dimensions.css.cell.height,r=t*this._renderService.dimensions.
css.cell.width;this._compositionView.style.left=r+"px",this._compositionView.style.top=s+"px",this._compositionView.style.height=i+"px",this._compositionView.style.
lineHeight=i+"px",this._compositionView.style.fontFamily=this._optionsService.rawOptions.fontFamily,this._compositionView.style.fontSize=this._optionsService.rawOptions.
fontSize+"px";let n=this._compositionView.getBoundingClientRect();this._textarea.style.left=r+"px",this._textarea.style.top=s+"px",this._textarea.style.width=Math.
max(n.width,1)+"px",this._textarea.style.height=Math.max(n.height,1)+"px",this._textarea.style.lineHeight=n.height+"px"}e||setTimeout(()=>this.updateCompositionElements(
!0),0)}}};Gi=q([y(2,ce),y(3,de),y(4,tt),y(5,Ie)],Gi);var ee=0,te=0,ie=0,U=0,Js={css:"#00000000",rgba:0},j;(e=>{function t(r,n,o,a){return a!==void 0?`#${je(r)}${je(
n)}${je(o)}${je(a)}`:`#${je(r)}${je(n)}${je(o)}`}e.toCss=t;function i(r,n,o,a=255){return(r<<24|n<<16|o<<8|a)>>>0}e.toRgba=i;function s(r,n,o,a){return{css:e.toCss(
r,n,o,a),rgba:e.toRgba(r,n,o,a)}}e.toColor=s})(j||={});var H;(e=>{function t(l,h){if(U=(h.rgba&255)/255,U===1)return{css:h.css,rgba:h.rgba};let d=h.rgba>>24&255,
c=h.rgba>>16&255,u=h.rgba>>8&255,f=l.rgba>>24&255,_=l.rgba>>16&255,p=l.rgba>>8&255;ee=f+Math.round((d-f)*U),te=_+Math.round((c-_)*U),ie=p+Math.round((u-p)*U);let C=j.
toCss(ee,te,ie),D=j.toRgba(ee,te,ie);return{css:C,rgba:D}}e.blend=t;function i(l){return(l.rgba&255)===255}e.isOpaque=i;function s(l,h,d){let c=Yt.ensureContrastRatio(
l.rgba,h.rgba,d);if(c)return j.toColor(c>>24&255,c>>16&255,c>>8&255)}e.ensureContrastRatio=s;function r(l){let h=(l.rgba|255)>>>0;return[ee,te,ie]=Yt.toChannels(
h),{css:j.toCss(ee,te,ie),rgba:h}}e.opaque=r;function n(l,h){return U=Math.round(h*255),[ee,te,ie]=Yt.toChannels(l.rgba),{css:j.toCss(ee,te,ie,U),rgba:j.toRgba(
ee,te,ie,U)}}e.opacity=n;function o(l,h){return U=l.rgba&255,n(l,U*h/255)}e.multiplyOpacity=o;function a(l){return[l.rgba>>24&255,l.rgba>>16&255,l.rgba>>8&255]}
e.toColorRGB=a})(H||={});var K;(e=>{let t,i;try{let r=document.createElement("canvas");r.width=1,r.height=1;let n=r.getContext("2d",{willReadFrequently:!0});n&&
(t=n,t.globalCompositeOperation="copy",i=t.createLinearGradient(0,0,1,1))}catch{}function s(r){if(r.match(/#[\da-f]{3,8}/i))switch(r.length){case 4:return ee=parseInt(
r.slice(1,2).repeat(2),16),te=parseInt(r.slice(2,3).repeat(2),16),ie=parseInt(r.slice(3,4).repeat(2),16),j.toColor(ee,te,ie);case 5:return ee=parseInt(r.slice(1,
2).repeat(2),16),te=parseInt(r.slice(2,3).repeat(2),16),ie=parseInt(r.slice(3,4).repeat(2),16),U=parseInt(r.slice(4,5).repeat(2),16),j.toColor(ee,te,ie,U);case 7:
return{css:r,rgba:(parseInt(r.slice(1),16)<<8|255)>>>0};case 9:return{css:r,rgba:parseInt(r.slice(1),16)>>>0}}let n=r.match(/rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(,\s*(0|1|\d?\.(\d+))\s*)?\)/);
if(n)return ee=parseInt(n[1]),te=parseInt(n[2]),ie=parseInt(n[3]),U=Math.round((n[5]===void 0?1:parseFloat(n[5]))*255),j.toColor(ee,te,ie,U);if(!t||!i)throw new Error(
"css.toColor: Unsupported css format");if(t.fillStyle=i,t.fillStyle=r,typeof t.fillStyle!="string")throw new Error("css.toColor: Unsupported css format");if(t.fillRect(
0,0,1,1),[ee,te,ie,U]=t.getImageData(0,0,1,1).data,U!==255)throw new Error("css.toColor: Unsupported css format");return{rgba:j.toRgba(ee,te,ie,U),css:r}}e.toColor=
s})(K||={});var le;(e=>{function t(s){return i(s>>16&255,s>>8&255,s&255)}e.relativeLuminance=t;function i(s,r,n){let o=s/255,a=r/255,l=n/255,h=o<=.03928?o/12.92:
Math.pow((o+.055)/1.055,2.4),d=a<=.03928?a/12.92:Math.pow((a+.055)/1.055,2.4),c=l<=.03928?l/12.92:Math.pow((l+.055)/1.055,2.4);return h*.2126+d*.7152+c*.0722}e.
relativeLuminance2=i})(le||={});var Yt;(e=>{function t(o,a){if(U=(a&255)/255,U===1)return a;let l=a>>24&255,h=a>>16&255,d=a>>8&255,c=o>>24&255,u=o>>16&255,f=o>>
8&255;return ee=c+Math.round((l-c)*U),te=u+Math.round((h-u)*U),ie=f+Math.round((d-f)*U),j.toRgba(ee,te,ie)}e.blend=t;function i(o,a,l){let h=le.relativeLuminance(
o>>8),d=le.relativeLuminance(a>>8);if(Me(h,d)<l){if(d<h){let f=s(o,a,l),_=Me(h,le.relativeLuminance(f>>8));if(_<l){let p=r(o,a,l),C=Me(h,le.relativeLuminance(p>>
8));return _>C?f:p}return f}let c=r(o,a,l),u=Me(h,le.relativeLuminance(c>>8));if(u<l){let f=s(o,a,l),_=Me(h,le.relativeLuminance(f>>8));return u>_?c:f}return c}}
e.ensureContrastRatio=i;function s(o,a,l){let h=o>>24&255,d=o>>16&255,c=o>>8&255,u=a>>24&255,f=a>>16&255,_=a>>8&255,p=Me(le.relativeLuminance2(u,f,_),le.relativeLuminance2(
h,d,c));for(;p<l&&(u>0||f>0||_>0);)u-=Math.max(0,Math.ceil(u*.1)),f-=Math.max(0,Math.ceil(f*.1)),_-=Math.max(0,Math.ceil(_*.1)),p=Me(le.relativeLuminance2(u,f,_),
le.relativeLuminance2(h,d,c));return(u<<24|f<<16|_<<8|255)>>>0}e.reduceLuminance=s;function r(o,a,l){let h=o>>24&255,d=o>>16&255,c=o>>8&255,u=a>>24&255,f=a>>16&
255,_=a>>8&255,p=Me(le.relativeLuminance2(u,f,_),le.relativeLuminance2(h,d,c));for(;p<l&&(u<255||f<255||_<255);)u=Math.min(255,u+Math.ceil((255-u)*.1)),f=Math.min(
255,f+Math.ceil((255-f)*.1)),_=Math.min(255,_+Math.ceil((255-_)*.1)),p=Me(le.relativeLuminance2(u,f,_),le.relativeLuminance2(h,d,c));return(u<<24|f<<16|_<<8|255)>>>
0}e.increaseLuminance=r;function n(o){return[o>>24&255,o>>16&255,o>>8&255,o&255]}e.toChannels=n})(Yt||={});function je(e){let t=e.toString(16);return t.length<2?
"0"+t:t}function Me(e,t){return e<t?(t+.05)/(e+.05):(e+.05)/(t+.05)}var Th=class extends Bt{constructor(e,t,i){super(),this.content=0,this.combinedData="",this.
fg=e.fg,this.bg=e.bg,this.combinedData=t,this._width=i}isCombined(){return 2097152}getWidth(){return this._width}getChars(){return this.combinedData}getCode(){return 2097151}setFromCharData(e){
throw new Error("not implemented")}getAsCharData(){return[this.fg,this.getChars(),this.getWidth(),this.getCode()]}},ei=class{constructor(e){this._bufferService=
e,this._characterJoiners=[],this._nextCharacterJoinerId=0,this._workCell=new we}register(e){let t={id:this._nextCharacterJoinerId++,handler:e};return this._characterJoiners.
push(t),t.id}deregister(e){for(let t=0;t<this._characterJoiners.length;t++)if(this._characterJoiners[t].id===e)return this._characterJoiners.splice(t,1),!0;return!1}getJoinedCharacters(e){
if(this._characterJoiners.length===0)return[];let t=this._bufferService.buffer.lines.get(e);if(!t||t.length===0)return[];let i=[],s=t.translateToString(!0),r=0,
n=0,o=0,a=t.getFg(0),l=t.getBg(0);for(let h=0;h<t.getTrimmedLength();h++)if(t.loadCell(h,this._workCell),this._workCell.getWidth()!==0){if(this._workCell.fg!==a||
this._workCell.bg!==l){if(h-r>1){let d=this._getJoinedRanges(s,o,n,t,r);for(let c=0;c<d.length;c++)i.push(d[c])}r=h,o=n,a=this._workCell.fg,l=this._workCell.bg}
n+=this._workCell.getChars().length||qe.length}if(this._bufferService.cols-r>1){let h=this._getJoinedRanges(s,o,n,t,r);for(let d=0;d<h.length;d++)i.push(h[d])}return i}_getJoinedRanges(e,t,i,s,r){
let n=e.substring(t,i),o=[];try{o=this._characterJoiners[0].handler(n)}catch(a){console.error(a)}for(let a=1;a<this._characterJoiners.length;a++)try{let l=this.
_characterJoiners[a].handler(n);for(let h=0;h<l.length;h++)ei._mergeRanges(o,l[h])}catch(l){console.error(l)}return this._stringRangesToCellRanges(o,s,r),o}_stringRangesToCellRanges(e,t,i){
let s=0,r=!1,n=0,o=e[s];if(o){for(let a=i;a<this._bufferService.cols;a++){let l=t.getWidth(a),h=t.getString(a).length||qe.length;if(l!==0){if(!r&&o[0]<=n&&(o[0]=
a,r=!0),o[1]<=n){if(o[1]=a,o=e[++s],!o)break;o[0]<=n?(o[0]=a,r=!0):r=!1}n+=h}}o&&(o[1]=this._bufferService.cols)}}static _mergeRanges(e,t){let i=!1;for(let s=0;s<
e.length;s++){let r=e[s];if(i){if(t[1]<=r[0])return e[s-1][1]=t[1],e;if(t[1]<=r[1])return e[s-1][1]=Math.max(t[1],r[1]),e.splice(s,1),e;e.splice(s,1),s--}else{if(t[1]<=
r[0])return e.splice(s,0,t),e;if(t[1]<=r[1])return r[0]=Math.min(t[0],r[0]),e;t[0]<r[1]&&(r[0]=Math.min(t[0],r[0]),i=!0);continue}}return i?e[e.length-1][1]=t[1]:
e.push(t),e}};ei=q([y(0,ce)],ei);function Ah(e){return 57508<=e&&e<=57558}function Oh(e){return 9472<=e&&e<=9631}function Ih(e){return Ah(e)||Oh(e)}function Nh(){
return{css:{canvas:Ot(),cell:Ot()},device:{canvas:Ot(),cell:Ot(),char:{width:0,height:0,left:0,top:0}}}}function Ot(){return{width:0,height:0}}var Ji=class{constructor(e,t,i,s,r,n,o){
this._document=e,this._characterJoinerService=t,this._optionsService=i,this._coreBrowserService=s,this._coreService=r,this._decorationService=n,this._themeService=
o,this._workCell=new we,this._columnSelectMode=!1,this.defaultSpacing=0}handleSelectionChanged(e,t,i){this._selectionStart=e,this._selectionEnd=t,this._columnSelectMode=
i}createRow(e,t,i,s,r,n,o,a,l,h,d){let c=[],u=this._characterJoinerService.getJoinedCharacters(t),f=this._themeService.colors,_=e.getNoBgTrimmedLength();i&&_<n+
1&&(_=n+1);let p,C=0,D="",I=0,M=0,E=0,T=0,A=!1,re=0,be=!1,Ce=0,Pt=0,z=[],ci=h!==-1&&d!==-1;for(let w=0;w<_;w++){e.loadCell(w,this._workCell);let m=this._workCell.
getWidth();if(m===0)continue;let k=!1,b=w>=Pt,x=w,S=this._workCell;if(u.length>0&&w===u[0][0]&&b){let O=u.shift(),di=this._isCellInSelection(O[0],t);for(I=O[0]+
1;I<O[1];I++)b&&=di===this._isCellInSelection(I,t);b&&=!i||n<O[0]||n>=O[1],b?(k=!0,S=new Th(this._workCell,e.translateToString(!0,O[0],O[1]),O[1]-O[0]),x=O[1]-1,
m=S.getWidth()):Pt=O[1]}let P=this._isCellInSelection(w,t),F=i&&w===n,ne=ci&&w>=h&&w<=d,ke=!1;this._decorationService.forEachDecorationAtCell(w,t,void 0,O=>{ke=
!0});let Le=S.getChars()||qe;if(Le===" "&&(S.isUnderline()||S.isOverline())&&(Le="\xA0"),Ce=m*a-l.get(Le,S.isBold(),S.isItalic()),!p)p=this._document.createElement(
"span");else if(C&&(P&&be||!P&&!be&&S.bg===M)&&(P&&be&&f.selectionForeground||S.fg===E)&&S.extended.ext===T&&ne===A&&Ce===re&&!F&&!k&&!ke&&b){S.isInvisible()?D+=
qe:D+=Le,C++;continue}else C&&(p.textContent=D),p=this._document.createElement("span"),C=0,D="";if(M=S.bg,E=S.fg,T=S.extended.ext,A=ne,re=Ce,be=P,k&&n>=w&&n<=x&&
(n=w),!this._coreService.isCursorHidden&&F&&this._coreService.isCursorInitialized){if(z.push("xterm-cursor"),this._coreBrowserService.isFocused)o&&z.push("xterm\
-cursor-blink"),z.push(s==="bar"?"xterm-cursor-bar":s==="underline"?"xterm-cursor-underline":"xterm-cursor-block");else if(r)switch(r){case"outline":z.push("xte\
rm-cursor-outline");break;case"block":z.push("xterm-cursor-block");break;case"bar":z.push("xterm-cursor-bar");break;case"underline":z.push("xterm-cursor-underli\
ne");break;default:break}}if(S.isBold()&&z.push("xterm-bold"),S.isItalic()&&z.push("xterm-italic"),S.isDim()&&z.push("xterm-dim"),S.isInvisible()?D=qe:D=S.getChars()||
qe,S.isUnderline()&&(z.push(`xterm-underline-${S.extended.underlineStyle}`),D===" "&&(D="\xA0"),!S.isUnderlineColorDefault()))if(S.isUnderlineColorRGB())p.style.
textDecorationColor=`rgb(${Bt.toColorRGB(S.getUnderlineColor()).join(",")})`;else{let O=S.getUnderlineColor();this._optionsService.rawOptions.drawBoldTextInBrightColors&&
S.isBold()&&O<8&&(O+=8),p.style.textDecorationColor=f.ansi[O].css}S.isOverline()&&(z.push("xterm-overline"),D===" "&&(D="\xA0")),S.isStrikethrough()&&z.push("xt\
erm-strikethrough"),ne&&(p.style.textDecoration="underline");let Z=S.getFgColor(),Ne=S.getFgColorMode(),ae=S.getBgColor(),Ye=S.getBgColorMode(),ht=!!S.isInverse();
if(ht){let O=Z;Z=ae,ae=O;let di=Ne;Ne=Ye,Ye=di}let He,Tt,at=!1;this._decorationService.forEachDecorationAtCell(w,t,void 0,O=>{O.options.layer!=="top"&&at||(O.backgroundColorRGB&&
(Ye=50331648,ae=O.backgroundColorRGB.rgba>>8&16777215,He=O.backgroundColorRGB),O.foregroundColorRGB&&(Ne=50331648,Z=O.foregroundColorRGB.rgba>>8&16777215,Tt=O.foregroundColorRGB),
at=O.options.layer==="top")}),!at&&P&&(He=this._coreBrowserService.isFocused?f.selectionBackgroundOpaque:f.selectionInactiveBackgroundOpaque,ae=He.rgba>>8&16777215,
Ye=50331648,at=!0,f.selectionForeground&&(Ne=50331648,Z=f.selectionForeground.rgba>>8&16777215,Tt=f.selectionForeground)),at&&z.push("xterm-decoration-top");let We;
switch(Ye){case 16777216:case 33554432:We=f.ansi[ae],z.push(`xterm-bg-${ae}`);break;case 50331648:We=j.toColor(ae>>16,ae>>8&255,ae&255),this._addStyle(p,`backgr\
ound-color:#${Zs((ae>>>0).toString(16),"0",6)}`);break;default:ht?(We=f.foreground,z.push("xterm-bg-257")):We=f.background}switch(He||S.isDim()&&(He=H.multiplyOpacity(
We,.5)),Ne){case 16777216:case 33554432:S.isBold()&&Z<8&&this._optionsService.rawOptions.drawBoldTextInBrightColors&&(Z+=8),this._applyMinimumContrast(p,We,f.ansi[Z],
S,He,void 0)||z.push(`xterm-fg-${Z}`);break;case 50331648:let O=j.toColor(Z>>16&255,Z>>8&255,Z&255);this._applyMinimumContrast(p,We,O,S,He,Tt)||this._addStyle(p,
`color:#${Zs(Z.toString(16),"0",6)}`);break;default:this._applyMinimumContrast(p,We,f.foreground,S,He,Tt)||ht&&z.push("xterm-fg-257")}z.length&&(p.className=z.join(
" "),z.length=0),!F&&!k&&!ke&&b?C++:p.textContent=D,Ce!==this.defaultSpacing&&(p.style.letterSpacing=`${Ce}px`),c.push(p),w=x}return p&&C&&(p.textContent=D),c}_applyMinimumContrast(e,t,i,s,r,n){
if(this._optionsService.rawOptions.minimumContrastRatio===1||Ih(s.getCode()))return!1;let o=this._getContrastCache(s),a;if(!r&&!n&&(a=o.getColor(t.rgba,i.rgba)),
a===void 0){let l=this._optionsService.rawOptions.minimumContrastRatio/(s.isDim()?2:1);a=H.ensureContrastRatio(r||t,n||i,l),o.setColor((r||t).rgba,(n||i).rgba,a??
null)}return a?(this._addStyle(e,`color:${a.css}`),!0):!1}_getContrastCache(e){return e.isDim()?this._themeService.colors.halfContrastCache:this._themeService.colors.
contrastCache}_addStyle(e,t){e.setAttribute("style",`${e.getAttribute("style")||""}${t};`)}_isCellInSelection(e,t){let i=this._selectionStart,s=this._selectionEnd;
return!i||!s?!1:this._columnSelectMode?i[0]<=s[0]?e>=i[0]&&t>=i[1]&&e<s[0]&&t<=s[1]:e<i[0]&&t>=i[1]&&e>=s[0]&&t<=s[1]:t>i[1]&&t<s[1]||i[1]===s[1]&&t===i[1]&&e>=
i[0]&&e<s[0]||i[1]<s[1]&&t===s[1]&&e<s[0]||i[1]<s[1]&&t===i[1]&&e>=i[0]}};Ji=q([y(1,Ir),y(2,de),y(3,Oe),y(4,tt),y(5,Rt),y(6,nt)],Ji);function Zs(e,t,i){for(;e.length<
i;)e=t+e;return e}var Hh=class{constructor(e,t){this._flat=new Float32Array(256),this._font="",this._fontSize=0,this._weight="normal",this._weightBold="bold",this.
_measureElements=[],this._container=e.createElement("div"),this._container.classList.add("xterm-width-cache-measure-container"),this._container.setAttribute("ar\
ia-hidden","true"),this._container.style.whiteSpace="pre",this._container.style.fontKerning="none";let i=e.createElement("span");i.classList.add("xterm-char-mea\
sure-element");let s=e.createElement("span");s.classList.add("xterm-char-measure-element"),s.style.fontWeight="bold";let r=e.createElement("span");r.classList.add(
"xterm-char-measure-element"),r.style.fontStyle="italic";let n=e.createElement("span");n.classList.add("xterm-char-measure-element"),n.style.fontWeight="bold",n.
style.fontStyle="italic",this._measureElements=[i,s,r,n],this._container.appendChild(i),this._container.appendChild(s),this._container.appendChild(r),this._container.
appendChild(n),t.appendChild(this._container),this.clear()}dispose(){this._container.remove(),this._measureElements.length=0,this._holey=void 0}clear(){this._flat.
fill(-9999),this._holey=new Map}setFont(e,t,i,s){e===this._font&&t===this._fontSize&&i===this._weight&&s===this._weightBold||(this._font=e,this._fontSize=t,this.
_weight=i,this._weightBold=s,this._container.style.fontFamily=this._font,this._container.style.fontSize=`${this._fontSize}px`,this._measureElements[0].style.fontWeight=
`${i}`,this._measureElements[1].style.fontWeight=`${s}`,this._measureElements[2].style.fontWeight=`${i}`,this._measureElements[3].style.fontWeight=`${s}`,this.clear())}get(e,t,i){
let s=0;if(!t&&!i&&e.length===1&&(s=e.charCodeAt(0))<256){if(this._flat[s]!==-9999)return this._flat[s];let o=this._measure(e,0);return o>0&&(this._flat[s]=o),o}
let r=e;t&&(r+="B"),i&&(r+="I");let n=this._holey.get(r);if(n===void 0){let o=0;t&&(o|=1),i&&(o|=2),n=this._measure(e,o),n>0&&this._holey.set(r,n)}return n}_measure(e,t){
let i=this._measureElements[t];return i.textContent=e.repeat(32),i.offsetWidth/32}},Wh=class{constructor(){this.clear()}clear(){this.hasSelection=!1,this.columnSelectMode=
!1,this.viewportStartRow=0,this.viewportEndRow=0,this.viewportCappedStartRow=0,this.viewportCappedEndRow=0,this.startCol=0,this.endCol=0,this.selectionStart=void 0,
this.selectionEnd=void 0}update(e,t,i,s=!1){if(this.selectionStart=t,this.selectionEnd=i,!t||!i||t[0]===i[0]&&t[1]===i[1]){this.clear();return}let r=e.buffers.active.
ydisp,n=t[1]-r,o=i[1]-r,a=Math.max(n,0),l=Math.min(o,e.rows-1);if(a>=e.rows||l<0){this.clear();return}this.hasSelection=!0,this.columnSelectMode=s,this.viewportStartRow=
n,this.viewportEndRow=o,this.viewportCappedStartRow=a,this.viewportCappedEndRow=l,this.startCol=t[0],this.endCol=i[0]}isCellSelected(e,t,i){return this.hasSelection?
(i-=e.buffer.active.viewportY,this.columnSelectMode?this.startCol<=this.endCol?t>=this.startCol&&i>=this.viewportCappedStartRow&&t<this.endCol&&i<=this.viewportCappedEndRow:
t<this.startCol&&i>=this.viewportCappedStartRow&&t>=this.endCol&&i<=this.viewportCappedEndRow:i>this.viewportStartRow&&i<this.viewportEndRow||this.viewportStartRow===
this.viewportEndRow&&i===this.viewportStartRow&&t>=this.startCol&&t<this.endCol||this.viewportStartRow<this.viewportEndRow&&i===this.viewportEndRow&&t<this.endCol||
this.viewportStartRow<this.viewportEndRow&&i===this.viewportStartRow&&t>=this.startCol):!1}};function zh(){return new Wh}var wi="xterm-dom-renderer-owner-",ve="\
xterm-rows",It="xterm-fg-",Qs="xterm-bg-",dt="xterm-focus",Nt="xterm-selection",Fh=1,Zi=class extends R{constructor(e,t,i,s,r,n,o,a,l,h,d,c,u,f){super(),this._terminal=
e,this._document=t,this._element=i,this._screenElement=s,this._viewportElement=r,this._helperContainer=n,this._linkifier2=o,this._charSizeService=l,this._optionsService=
h,this._bufferService=d,this._coreService=c,this._coreBrowserService=u,this._themeService=f,this._terminalClass=Fh++,this._rowElements=[],this._selectionRenderModel=
zh(),this.onRequestRedraw=this._register(new v).event,this._rowContainer=this._document.createElement("div"),this._rowContainer.classList.add(ve),this._rowContainer.
style.lineHeight="normal",this._rowContainer.setAttribute("aria-hidden","true"),this._refreshRowElements(this._bufferService.cols,this._bufferService.rows),this.
_selectionContainer=this._document.createElement("div"),this._selectionContainer.classList.add(Nt),this._selectionContainer.setAttribute("aria-hidden","true"),this.
dimensions=Nh(),this._updateDimensions(),this._register(this._optionsService.onOptionChange(()=>this._handleOptionsChanged())),this._register(this._themeService.
onChangeColors(_=>this._injectCss(_))),this._injectCss(this._themeService.colors),this._rowFactory=a.createInstance(Ji,document),this._element.classList.add(wi+
this._terminalClass),this._screenElement.appendChild(this._rowContainer),this._screenElement.appendChild(this._selectionContainer),this._register(this._linkifier2.
onShowLinkUnderline(_=>this._handleLinkHover(_))),this._register(this._linkifier2.onHideLinkUnderline(_=>this._handleLinkLeave(_))),this._register(W(()=>{this._element.
classList.remove(wi+this._terminalClass),this._rowContainer.remove(),this._selectionContainer.remove(),this._widthCache.dispose(),this._themeStyleElement.remove(),
this._dimensionsStyleElement.remove()})),this._widthCache=new Hh(this._document,this._helperContainer),this._widthCache.setFont(this._optionsService.rawOptions.
fontFamily,this._optionsService.rawOptions.fontSize,this._optionsService.rawOptions.fontWeight,this._optionsService.rawOptions.fontWeightBold),this._setDefaultSpacing()}_updateDimensions(){
let e=this._coreBrowserService.dpr;this.dimensions.device.char.width=this._charSizeService.width*e,this.dimensions.device.char.height=Math.ceil(this._charSizeService.
height*e),this.dimensions.device.cell.width=this.dimensions.device.char.width+Math.round(this._optionsService.rawOptions.letterSpacing),this.dimensions.device.cell.
height=Math.floor(this.dimensions.device.char.height*this._optionsService.rawOptions.lineHeight),this.dimensions.device.char.left=0,this.dimensions.device.char.
top=0,this.dimensions.device.canvas.width=this.dimensions.device.cell.width*this._bufferService.cols,this.dimensions.device.canvas.height=this.dimensions.device.
cell.height*this._bufferService.rows,this.dimensions.css.canvas.width=Math.round(this.dimensions.device.canvas.width/e),this.dimensions.css.canvas.height=Math.round(
this.dimensions.device.canvas.height/e),this.dimensions.css.cell.width=this.dimensions.css.canvas.width/this._bufferService.cols,this.dimensions.css.cell.height=
this.dimensions.css.canvas.height/this._bufferService.rows;for(let i of this._rowElements)i.style.width=`${this.dimensions.css.canvas.width}px`,i.style.height=`${this.
dimensions.css.cell.height}px`,i.style.lineHeight=`${this.dimensions.css.cell.height}px`,i.style.overflow="hidden";this._dimensionsStyleElement||(this._dimensionsStyleElement=
this._document.createElement("style"),this._screenElement.appendChild(this._dimensionsStyleElement));let t=`${this._terminalSelector} .${ve} span { display: inl\
ine-block; height: 100%; vertical-align: top;}`;this._dimensionsStyleElement.textContent=t,this._selectionContainer.style.height=this._viewportElement.style.height,
this._screenElement.style.width=`${this.dimensions.css.canvas.width}px`,this._screenElement.style.height=`${this.dimensions.css.canvas.height}px`}_injectCss(e){
this._themeStyleElement||(this._themeStyleElement=this._document.createElement("style"),this._screenElement.appendChild(this._themeStyleElement));let t=`${this.
_terminalSelector} .${ve} { pointer-events: none; color: ${e.foreground.css}; font-family: ${this._optionsService.rawOptions.fontFamily}; font-size: ${this._optionsService.
rawOptions.fontSize}px; font-kerning: none; white-space: pre}`;t+=`${this._terminalSelector} .${ve} .xterm-dim { color: ${H.multiplyOpacity(e.foreground,.5).css}\
;}`,t+=`${this._terminalSelector} span:not(.xterm-bold) { font-weight: ${this._optionsService.rawOptions.fontWeight};}${this._terminalSelector} span.xterm-bold \
{ font-weight: ${this._optionsService.rawOptions.fontWeightBold};}${this._terminalSelector} span.xterm-italic { font-style: italic;}`;let i=`blink_underline_${this.
_terminalClass}`,s=`blink_bar_${this._terminalClass}`,r=`blink_block_${this._terminalClass}`;t+=`@keyframes ${i} { 50% {  border-bottom-style: hidden; }}`,t+=`@\
keyframes ${s} { 50% {  box-shadow: none; }}`,t+=`@keyframes ${r} { 0% {  background-color: ${e.cursor.css};  color: ${e.cursorAccent.css}; } 50% {  background-\
color: inherit;  color: ${e.cursor.css}; }}`,t+=`${this._terminalSelector} .${ve}.${dt} .xterm-cursor.xterm-cursor-blink.xterm-cursor-underline { animation: ${i}\
 1s step-end infinite;}${this._terminalSelector} .${ve}.${dt} .xterm-cursor.xterm-cursor-blink.xterm-cursor-bar { animation: ${s} 1s step-end infinite;}${this._terminalSelector}\
 .${ve}.${dt} .xterm-cursor.xterm-cursor-blink.xterm-cursor-block { animation: ${r} 1s step-end infinite;}${this._terminalSelector} .${ve} .xterm-cursor.xterm-c\
ursor-block { background-color: ${e.cursor.css}; color: ${e.cursorAccent.css};}${this._terminalSelector} .${ve} .xterm-cursor.xterm-cursor-block:not(.xterm-curs\
or-blink) { background-color: ${e.cursor.css} !important; color: ${e.cursorAccent.css} !important;}${this._terminalSelector} .${ve} .xterm-cursor.xterm-cursor-o\
utline { outline: 1px solid ${e.cursor.css}; outline-offset: -1px;}${this._terminalSelector} .${ve} .xterm-cursor.xterm-cursor-bar { box-shadow: ${this._optionsService.
rawOptions.cursorWidth}px 0 0 ${e.cursor.css} inset;}${this._terminalSelector} .${ve} .xterm-cursor.xterm-cursor-underline { border-bottom: 1px ${e.cursor.css};\
 border-bottom-style: solid; height: calc(100% - 1px);}`,t+=`${this._terminalSelector} .${Nt} { position: absolute; top: 0; left: 0; z-index: 1; pointer-events:\
 none;}${this._terminalSelector}.focus .${Nt} div { position: absolute; background-color: ${e.selectionBackgroundOpaque.css};}${this._terminalSelector} .${Nt} d\
iv { position: absolute; background-color: ${e.selectionInactiveBackgroundOpaque.css};}`;for(let[n,o]of e.ansi.entries())t+=`${this._terminalSelector} .${It}${n}\
 { color: ${o.css}; }${this._terminalSelector} .${It}${n}.xterm-dim { color: ${H.multiplyOpacity(o,.5).css}; }${this._terminalSelector} .${Qs}${n} { background-\
color: ${o.css}; }`;t+=`${this._terminalSelector} .${It}257 { color: ${H.opaque(e.background).css}; }${this._terminalSelector} .${It}257.xterm-dim { color: ${H.
multiplyOpacity(H.opaque(e.background),.5).css}; }${this._terminalSelector} .${Qs}257 { background-color: ${e.foreground.css}; }`,this._themeStyleElement.textContent=
t}_setDefaultSpacing(){let e=this.dimensions.css.cell.width-this._widthCache.get("W",!1,!1);this._rowContainer.style.letterSpacing=`${e}px`,this._rowFactory.defaultSpacing=
e}handleDevicePixelRatioChange(){this._updateDimensions(),this._widthCache.clear(),this._setDefaultSpacing()}_refreshRowElements(e,t){for(let i=this._rowElements.
length;i<=t;i++){let s=this._document.createElement("div");this._rowContainer.appendChild(s),this._rowElements.push(s)}for(;this._rowElements.length>t;)this._rowContainer.
removeChild(this._rowElements.pop())}handleResize(e,t){this._refreshRowElements(e,t),this._updateDimensions(),this.handleSelectionChanged(this._selectionRenderModel.
selectionStart,this._selectionRenderModel.selectionEnd,this._selectionRenderModel.columnSelectMode)}handleCharSizeChanged(){this._updateDimensions(),this._widthCache.
clear(),this._setDefaultSpacing()}handleBlur(){this._rowContainer.classList.remove(dt),this.renderRows(0,this._bufferService.rows-1)}handleFocus(){this._rowContainer.
classList.add(dt),this.renderRows(this._bufferService.buffer.y,this._bufferService.buffer.y)}handleSelectionChanged(e,t,i){if(this._selectionContainer.replaceChildren(),
this._rowFactory.handleSelectionChanged(e,t,i),this.renderRows(0,this._bufferService.rows-1),!e||!t||(this._selectionRenderModel.update(this._terminal,e,t,i),!this.
_selectionRenderModel.hasSelection))return;let s=this._selectionRenderModel.viewportStartRow,r=this._selectionRenderModel.viewportEndRow,n=this._selectionRenderModel.
viewportCappedStartRow,o=this._selectionRenderModel.viewportCappedEndRow,a=this._document.createDocumentFragment();if(i){let l=e[0]>t[0];a.appendChild(this._createSelectionElement(
n,l?t[0]:e[0],l?e[0]:t[0],o-n+1))}else{let l=s===n?e[0]:0,h=n===r?t[0]:this._bufferService.cols;a.appendChild(this._createSelectionElement(n,l,h));let d=o-n-1;if(a.
appendChild(this._createSelectionElement(n+1,0,this._bufferService.cols,d)),n!==o){let c=r===o?t[0]:this._bufferService.cols;a.appendChild(this._createSelectionElement(
o,0,c))}}this._selectionContainer.appendChild(a)}_createSelectionElement(e,t,i,s=1){let r=this._document.createElement("div"),n=t*this.dimensions.css.cell.width,
o=this.dimensions.css.cell.width*(i-t);return n+o>this.dimensions.css.canvas.width&&(o=this.dimensions.css.canvas.width-n),r.style.height=`${s*this.dimensions.css.
cell.height}px`,r.style.top=`${e*this.dimensions.css.cell.height}px`,r.style.left=`${n}px`,r.style.width=`${o}px`,r}handleCursorMove(){}_handleOptionsChanged(){
this._updateDimensions(),this._injectCss(this._themeService.colors),this._widthCache.setFont(this._optionsService.rawOptions.fontFamily,this._optionsService.rawOptions.
fontSize,this._optionsService.rawOptions.fontWeight,this._optionsService.rawOptions.fontWeightBold),this._setDefaultSpacing()}clear(){for(let e of this._rowElements)
e.replaceChildren()}renderRows(e,t){let i=this._bufferService.buffer,s=i.ybase+i.y,r=Math.min(i.x,this._bufferService.cols-1),n=this._coreService.decPrivateModes.
cursorBlink??this._optionsService.rawOptions.cursorBlink,o=this._coreService.decPrivateModes.cursorStyle??this._optionsService.rawOptions.cursorStyle,a=this._optionsService.
rawOptions.cursorInactiveStyle;for(let l=e;l<=t;l++){let h=l+i.ydisp,d=this._rowElements[l],c=i.lines.get(h);if(!d||!c)break;d.replaceChildren(...this._rowFactory.
createRow(c,h,h===s,o,a,r,n,this.dimensions.css.cell.width,this._widthCache,-1,-1))}}get _terminalSelector(){return`.${wi}${this._terminalClass}`}_handleLinkHover(e){
this._setCellUnderline(e.x1,e.x2,e.y1,e.y2,e.cols,!0)}_handleLinkLeave(e){this._setCellUnderline(e.x1,e.x2,e.y1,e.y2,e.cols,!1)}_setCellUnderline(e,t,i,s,r,n){i<
0&&(e=0),s<0&&(t=0);let o=this._bufferService.rows-1;i=Math.max(Math.min(i,o),0),s=Math.max(Math.min(s,o),0),r=Math.min(r,this._bufferService.cols);let a=this._bufferService.
buffer,l=a.ybase+a.y,h=Math.min(a.x,r-1),d=this._optionsService.rawOptions.cursorBlink,c=this._optionsService.rawOptions.cursorStyle,u=this._optionsService.rawOptions.
cursorInactiveStyle;for(let f=i;f<=s;++f){let _=f+a.ydisp,p=this._rowElements[f],C=a.lines.get(_);if(!p||!C)break;p.replaceChildren(...this._rowFactory.createRow(
C,_,_===l,c,u,h,d,this.dimensions.css.cell.width,this._widthCache,n?f===i?e:0:-1,n?(f===s?t:r)-1:-1))}}};Zi=q([y(7,_s),y(8,ni),y(9,de),y(10,ce),y(11,tt),y(12,Oe),
y(13,nt)],Zi);var Qi=class extends R{constructor(e,t,i){super(),this._optionsService=i,this.width=0,this.height=0,this._onCharSizeChange=this._register(new v),this.
onCharSizeChange=this._onCharSizeChange.event;try{this._measureStrategy=this._register(new Kh(this._optionsService))}catch{this._measureStrategy=this._register(
new $h(e,t,this._optionsService))}this._register(this._optionsService.onMultipleOptionChange(["fontFamily","fontSize"],()=>this.measure()))}get hasValidSize(){return this.
width>0&&this.height>0}measure(){let e=this._measureStrategy.measure();(e.width!==this.width||e.height!==this.height)&&(this.width=e.width,this.height=e.height,
this._onCharSizeChange.fire())}};Qi=q([y(2,de)],Qi);var dn=class extends R{constructor(){super(...arguments),this._result={width:0,height:0}}_validateAndSet(e,t){
e!==void 0&&e>0&&t!==void 0&&t>0&&(this._result.width=e,this._result.height=t)}},$h=class extends dn{constructor(e,t,i){super(),this._document=e,this._parentElement=
t,this._optionsService=i,this._measureElement=this._document.createElement("span"),this._measureElement.classList.add("xterm-char-measure-element"),this._measureElement.
textContent="W".repeat(32),this._measureElement.setAttribute("aria-hidden","true"),this._measureElement.style.whiteSpace="pre",this._measureElement.style.fontKerning=
"none",this._parentElement.appendChild(this._measureElement)}measure(){return this._measureElement.style.fontFamily=this._optionsService.rawOptions.fontFamily,this.
_measureElement.style.fontSize=`${this._optionsService.rawOptions.fontSize}px`,this._validateAndSet(Number(this._measureElement.offsetWidth)/32,Number(this._measureElement.
offsetHeight)),this._result}},Kh=class extends dn{constructor(e){super(),this._optionsService=e,this._canvas=new OffscreenCanvas(100,100),this._ctx=this._canvas.
getContext("2d");let t=this._ctx.measureText("W");if(!("width"in t&&"fontBoundingBoxAscent"in t&&"fontBoundingBoxDescent"in t))throw new Error("Required font me\
trics not supported")}measure(){this._ctx.font=`${this._optionsService.rawOptions.fontSize}px ${this._optionsService.rawOptions.fontFamily}`;let e=this._ctx.measureText(
"W");return this._validateAndSet(e.width,e.fontBoundingBoxAscent+e.fontBoundingBoxDescent),this._result}},Uh=class extends R{constructor(e,t,i){super(),this._textarea=
e,this._window=t,this.mainDocument=i,this._isFocused=!1,this._cachedIsFocused=void 0,this._screenDprMonitor=this._register(new qh(this._window)),this._onDprChange=
this._register(new v),this.onDprChange=this._onDprChange.event,this._onWindowChange=this._register(new v),this.onWindowChange=this._onWindowChange.event,this._register(
this.onWindowChange(s=>this._screenDprMonitor.setWindow(s))),this._register(oe.forward(this._screenDprMonitor.onDprChange,this._onDprChange)),this._register(B(this.
_textarea,"focus",()=>this._isFocused=!0)),this._register(B(this._textarea,"blur",()=>this._isFocused=!1))}get window(){return this._window}set window(e){this._window!==
e&&(this._window=e,this._onWindowChange.fire(this._window))}get dpr(){return this.window.devicePixelRatio}get isFocused(){return this._cachedIsFocused===void 0&&
(this._cachedIsFocused=this._isFocused&&this._textarea.ownerDocument.hasFocus(),queueMicrotask(()=>this._cachedIsFocused=void 0)),this._cachedIsFocused}},qh=class extends R{constructor(e){
super(),this._parentWindow=e,this._windowResizeListener=this._register(new rt),this._onDprChange=this._register(new v),this.onDprChange=this._onDprChange.event,
this._outerListener=()=>this._setDprAndFireIfDiffers(),this._currentDevicePixelRatio=this._parentWindow.devicePixelRatio,this._updateDpr(),this._setWindowResizeListener(),
this._register(W(()=>this.clearListener()))}setWindow(e){this._parentWindow=e,this._setWindowResizeListener(),this._setDprAndFireIfDiffers()}_setWindowResizeListener(){
this._windowResizeListener.value=B(this._parentWindow,"resize",()=>this._setDprAndFireIfDiffers())}_setDprAndFireIfDiffers(){this._parentWindow.devicePixelRatio!==
this._currentDevicePixelRatio&&this._onDprChange.fire(this._parentWindow.devicePixelRatio),this._updateDpr()}_updateDpr(){this._outerListener&&(this._resolutionMediaMatchList?.
removeListener(this._outerListener),this._currentDevicePixelRatio=this._parentWindow.devicePixelRatio,this._resolutionMediaMatchList=this._parentWindow.matchMedia(
`screen and (resolution: ${this._parentWindow.devicePixelRatio}dppx)`),this._resolutionMediaMatchList.addListener(this._outerListener))}clearListener(){!this._resolutionMediaMatchList||
!this._outerListener||(this._resolutionMediaMatchList.removeListener(this._outerListener),this._resolutionMediaMatchList=void 0,this._outerListener=void 0)}},Vh=class extends R{constructor(){
super(),this.linkProviders=[],this._register(W(()=>this.linkProviders.length=0))}registerLinkProvider(e){return this.linkProviders.push(e),{dispose:()=>{let t=this.
linkProviders.indexOf(e);t!==-1&&this.linkProviders.splice(t,1)}}}};function ws(e,t,i){let s=i.getBoundingClientRect(),r=e.getComputedStyle(i),n=parseInt(r.getPropertyValue(
"padding-left")),o=parseInt(r.getPropertyValue("padding-top"));return[t.clientX-s.left-n,t.clientY-s.top-o]}function Yh(e,t,i,s,r,n,o,a,l){if(!n)return;let h=ws(
e,t,i);if(h)return h[0]=Math.ceil((h[0]+(l?o/2:0))/o),h[1]=Math.ceil(h[1]/a),h[0]=Math.min(Math.max(h[0],1),s+(l?1:0)),h[1]=Math.min(Math.max(h[1],1),r),h}var es=class{constructor(e,t){
this._renderService=e,this._charSizeService=t}getCoords(e,t,i,s,r){return Yh(window,e,t,i,s,this._charSizeService.hasValidSize,this._renderService.dimensions.css.
cell.width,this._renderService.dimensions.css.cell.height,r)}getMouseReportCoords(e,t){let i=ws(window,e,t);if(this._charSizeService.hasValidSize)return i[0]=Math.
min(Math.max(i[0],0),this._renderService.dimensions.css.canvas.width-1),i[1]=Math.min(Math.max(i[1],0),this._renderService.dimensions.css.canvas.height-1),{col:Math.
floor(i[0]/this._renderService.dimensions.css.cell.width),row:Math.floor(i[1]/this._renderService.dimensions.css.cell.height),x:Math.floor(i[0]),y:Math.floor(i[1])}}};
es=q([y(0,Ie),y(1,ni)],es);var jh=class{constructor(e,t){this._renderCallback=e,this._coreBrowserService=t,this._refreshCallbacks=[]}dispose(){this._animationFrame&&
(this._coreBrowserService.window.cancelAnimationFrame(this._animationFrame),this._animationFrame=void 0)}addRefreshCallback(e){return this._refreshCallbacks.push(
e),this._animationFrame||(this._animationFrame=this._coreBrowserService.window.requestAnimationFrame(()=>this._innerRefresh())),this._animationFrame}refresh(e,t,i){
this._rowCount=i,e=e!==void 0?e:0,t=t!==void 0?t:this._rowCount-1,this._rowStart=this._rowStart!==void 0?Math.min(this._rowStart,e):e,this._rowEnd=this._rowEnd!==
void 0?Math.max(this._rowEnd,t):t,!this._animationFrame&&(this._animationFrame=this._coreBrowserService.window.requestAnimationFrame(()=>this._innerRefresh()))}_innerRefresh(){
if(this._animationFrame=void 0,this._rowStart===void 0||this._rowEnd===void 0||this._rowCount===void 0){this._runRefreshCallbacks();return}let e=Math.max(this._rowStart,
0),t=Math.min(this._rowEnd,this._rowCount-1);this._rowStart=void 0,this._rowEnd=void 0,this._renderCallback(e,t),this._runRefreshCallbacks()}_runRefreshCallbacks(){
for(let e of this._refreshCallbacks)e(0);this._refreshCallbacks=[]}},_n={};Ln(_n,{getSafariVersion:()=>Gh,isChromeOS:()=>gn,isFirefox:()=>un,isIpad:()=>Jh,isIphone:()=>Zh,
isLegacyEdge:()=>Xh,isLinux:()=>bs,isMac:()=>ti,isNode:()=>ai,isSafari:()=>fn,isWindows:()=>pn});var ai=typeof process<"u"&&"title"in process,Lt=ai?"node":navigator.
userAgent,Mt=ai?"node":navigator.platform,un=Lt.includes("Firefox"),Xh=Lt.includes("Edge"),fn=/^((?!chrome|android).)*safari/i.test(Lt);function Gh(){if(!fn)return 0;
let e=Lt.match(/Version\/(\d+)/);return e===null||e.length<2?0:parseInt(e[1])}var ti=["Macintosh","MacIntel","MacPPC","Mac68K"].includes(Mt),Jh=Mt==="iPad",Zh=Mt===
"iPhone",pn=["Windows","Win16","Win32","WinCE"].includes(Mt),bs=Mt.indexOf("Linux")>=0,gn=/\bCrOS\b/.test(Lt),vn=class{constructor(){this._tasks=[],this._i=0}enqueue(e){
this._tasks.push(e),this._start()}flush(){for(;this._i<this._tasks.length;)this._tasks[this._i]()||this._i++;this.clear()}clear(){this._idleCallback&&(this._cancelCallback(
this._idleCallback),this._idleCallback=void 0),this._i=0,this._tasks.length=0}_start(){this._idleCallback||(this._idleCallback=this._requestCallback(this._process.
bind(this)))}_process(e){this._idleCallback=void 0;let t=0,i=0,s=e.timeRemaining(),r=0;for(;this._i<this._tasks.length;){if(t=performance.now(),this._tasks[this.
_i]()||this._i++,t=Math.max(1,performance.now()-t),i=Math.max(t,i),r=e.timeRemaining(),i*1.5>r){s-t<-20&&console.warn(`task queue exceeded allotted deadline by ${Math.
abs(Math.round(s-t))}ms`),this._start();return}s=r}this.clear()}},Qh=class extends vn{_requestCallback(e){return setTimeout(()=>e(this._createDeadline(16)))}_cancelCallback(e){
clearTimeout(e)}_createDeadline(e){let t=performance.now()+e;return{timeRemaining:()=>Math.max(0,t-performance.now())}}},ea=class extends vn{_requestCallback(e){
return requestIdleCallback(e)}_cancelCallback(e){cancelIdleCallback(e)}},ii=!ai&&"requestIdleCallback"in window?ea:Qh,ta=class{constructor(){this._queue=new ii}set(e){
this._queue.clear(),this._queue.enqueue(e)}flush(){this._queue.flush()}},ts=class extends R{constructor(e,t,i,s,r,n,o,a,l){super(),this._rowCount=e,this._optionsService=
i,this._charSizeService=s,this._coreService=r,this._coreBrowserService=a,this._renderer=this._register(new rt),this._pausedResizeTask=new ta,this._observerDisposable=
this._register(new rt),this._isPaused=!1,this._needsFullRefresh=!1,this._isNextRenderRedrawOnly=!0,this._needsSelectionRefresh=!1,this._canvasWidth=0,this._canvasHeight=
0,this._selectionState={start:void 0,end:void 0,columnSelectMode:!1},this._onDimensionsChange=this._register(new v),this.onDimensionsChange=this._onDimensionsChange.
event,this._onRenderedViewportChange=this._register(new v),this.onRenderedViewportChange=this._onRenderedViewportChange.event,this._onRender=this._register(new v),
this.onRender=this._onRender.event,this._onRefreshRequest=this._register(new v),this.onRefreshRequest=this._onRefreshRequest.event,this._renderDebouncer=new jh(
(h,d)=>this._renderRows(h,d),this._coreBrowserService),this._register(this._renderDebouncer),this._syncOutputHandler=new ia(this._coreBrowserService,this._coreService,
()=>this._fullRefresh()),this._register(W(()=>this._syncOutputHandler.dispose())),this._register(this._coreBrowserService.onDprChange(()=>this.handleDevicePixelRatioChange())),
this._register(o.onResize(()=>this._fullRefresh())),this._register(o.buffers.onBufferActivate(()=>this._renderer.value?.clear())),this._register(this._optionsService.
onOptionChange(()=>this._handleOptionsChanged())),this._register(this._charSizeService.onCharSizeChange(()=>this.handleCharSizeChanged())),this._register(n.onDecorationRegistered(
()=>this._fullRefresh())),this._register(n.onDecorationRemoved(()=>this._fullRefresh())),this._register(this._optionsService.onMultipleOptionChange(["customGlyp\
hs","drawBoldTextInBrightColors","letterSpacing","lineHeight","fontFamily","fontSize","fontWeight","fontWeightBold","minimumContrastRatio","rescaleOverlappingGl\
yphs"],()=>{this.clear(),this.handleResize(o.cols,o.rows),this._fullRefresh()})),this._register(this._optionsService.onMultipleOptionChange(["cursorBlink","curs\
orStyle"],()=>this.refreshRows(o.buffer.y,o.buffer.y,!0))),this._register(l.onChangeColors(()=>this._fullRefresh())),this._registerIntersectionObserver(this._coreBrowserService.
window,t),this._register(this._coreBrowserService.onWindowChange(h=>this._registerIntersectionObserver(h,t)))}get dimensions(){return this._renderer.value.dimensions}_registerIntersectionObserver(e,t){
if("IntersectionObserver"in e){let i=new e.IntersectionObserver(s=>this._handleIntersectionChange(s[s.length-1]),{threshold:0});i.observe(t),this._observerDisposable.
value=W(()=>i.disconnect())}}_handleIntersectionChange(e){this._isPaused=e.isIntersecting===void 0?e.intersectionRatio===0:!e.isIntersecting,!this._isPaused&&!this.
_charSizeService.hasValidSize&&this._charSizeService.measure(),!this._isPaused&&this._needsFullRefresh&&(this._pausedResizeTask.flush(),this.refreshRows(0,this.
_rowCount-1),this._needsFullRefresh=!1)}refreshRows(e,t,i=!1){if(this._isPaused){this._needsFullRefresh=!0;return}if(this._coreService.decPrivateModes.synchronizedOutput){
this._syncOutputHandler.bufferRows(e,t);return}let s=this._syncOutputHandler.flush();s&&(e=Math.min(e,s.start),t=Math.max(t,s.end)),i||(this._isNextRenderRedrawOnly=
!1),this._renderDebouncer.refresh(e,t,this._rowCount)}_renderRows(e,t){if(this._renderer.value){if(this._coreService.decPrivateModes.synchronizedOutput){this._syncOutputHandler.
bufferRows(e,t);return}e=Math.min(e,this._rowCount-1),t=Math.min(t,this._rowCount-1),this._renderer.value.renderRows(e,t),this._needsSelectionRefresh&&(this._renderer.
value.handleSelectionChanged(this._selectionState.start,this._selectionState.end,this._selectionState.columnSelectMode),this._needsSelectionRefresh=!1),this._isNextRenderRedrawOnly||
this._onRenderedViewportChange.fire({start:e,end:t}),this._onRender.fire({start:e,end:t}),this._isNextRenderRedrawOnly=!0}}resize(e,t){this._rowCount=t,this._fireOnCanvasResize()}_handleOptionsChanged(){
this._renderer.value&&(this.refreshRows(0,this._rowCount-1),this._fireOnCanvasResize())}_fireOnCanvasResize(){this._renderer.value&&(this._renderer.value.dimensions.
css.canvas.width===this._canvasWidth&&this._renderer.value.dimensions.css.canvas.height===this._canvasHeight||this._onDimensionsChange.fire(this._renderer.value.
dimensions))}hasRenderer(){return!!this._renderer.value}setRenderer(e){this._renderer.value=e,this._renderer.value&&(this._renderer.value.onRequestRedraw(t=>this.
refreshRows(t.start,t.end,!0)),this._needsSelectionRefresh=!0,this._fullRefresh())}addRefreshCallback(e){return this._renderDebouncer.addRefreshCallback(e)}_fullRefresh(){
this._isPaused?this._needsFullRefresh=!0:this.refreshRows(0,this._rowCount-1)}clearTextureAtlas(){this._renderer.value&&(this._renderer.value.clearTextureAtlas?.(),
this._fullRefresh())}handleDevicePixelRatioChange(){this._charSizeService.measure(),this._renderer.value&&(this._renderer.value.handleDevicePixelRatioChange(),this.
refreshRows(0,this._rowCount-1))}handleResize(e,t){this._renderer.value&&(this._isPaused?this._pausedResizeTask.set(()=>this._renderer.value?.handleResize(e,t)):
this._renderer.value.handleResize(e,t),this._fullRefresh())}handleCharSizeChanged(){this._renderer.value?.handleCharSizeChanged()}handleBlur(){this._renderer.value?.
handleBlur()}handleFocus(){this._renderer.value?.handleFocus()}handleSelectionChanged(e,t,i){this._selectionState.start=e,this._selectionState.end=t,this._selectionState.
columnSelectMode=i,this._renderer.value?.handleSelectionChanged(e,t,i)}handleCursorMove(){this._renderer.value?.handleCursorMove()}clear(){this._renderer.value?.
clear()}};ts=q([y(2,de),y(3,ni),y(4,tt),y(5,Rt),y(6,ce),y(7,Oe),y(8,nt)],ts);var ia=class{constructor(e,t,i){this._coreBrowserService=e,this._coreService=t,this.
_onTimeout=i,this._start=0,this._end=0,this._isBuffering=!1}bufferRows(e,t){this._isBuffering?(this._start=Math.min(this._start,e),this._end=Math.max(this._end,
t)):(this._start=e,this._end=t,this._isBuffering=!0),this._timeout===void 0&&(this._timeout=this._coreBrowserService.window.setTimeout(()=>{this._timeout=void 0,
this._coreService.decPrivateModes.synchronizedOutput=!1,this._onTimeout()},1e3))}flush(){if(this._timeout!==void 0&&(this._coreBrowserService.window.clearTimeout(
this._timeout),this._timeout=void 0),!this._isBuffering)return;let e={start:this._start,end:this._end};return this._isBuffering=!1,e}dispose(){this._timeout!==void 0&&
(this._coreBrowserService.window.clearTimeout(this._timeout),this._timeout=void 0)}};function sa(e,t,i,s){let r=i.buffer.x,n=i.buffer.y;if(!i.buffer.hasScrollback)
return oa(r,n,e,t,i,s)+li(n,t,i,s)+ha(r,n,e,t,i,s);let o;if(n===t)return o=r>e?"D":"C",Et(Math.abs(r-e),xt(o,s));o=n>t?"D":"C";let a=Math.abs(n-t),l=na(n>t?e:r,
i)+(a-1)*i.cols+1+ra(n>t?r:e,i);return Et(l,xt(o,s))}function ra(e,t){return e-1}function na(e,t){return t.cols-e}function oa(e,t,i,s,r,n){return li(t,s,r,n).length===
0?"":Et(Sn(e,t,e,t-et(t,r),!1,r).length,xt("D",n))}function li(e,t,i,s){let r=e-et(e,i),n=t-et(t,i),o=Math.abs(r-n)-aa(e,t,i);return Et(o,xt(mn(e,t),s))}function ha(e,t,i,s,r,n){
let o;li(t,s,r,n).length>0?o=s-et(s,r):o=t;let a=s,l=la(e,t,i,s,r,n);return Et(Sn(e,o,i,a,l==="C",r).length,xt(l,n))}function aa(e,t,i){let s=0,r=e-et(e,i),n=t-
et(t,i);for(let o=0;o<Math.abs(r-n);o++){let a=mn(e,t)==="A"?-1:1;i.buffer.lines.get(r+a*o)?.isWrapped&&s++}return s}function et(e,t){let i=0,s=t.buffer.lines.get(
e),r=s?.isWrapped;for(;r&&e>=0&&e<t.rows;)i++,s=t.buffer.lines.get(--e),r=s?.isWrapped;return i}function la(e,t,i,s,r,n){let o;return li(i,s,r,n).length>0?o=s-et(
s,r):o=t,e<i&&o<=s||e>=i&&o<s?"C":"D"}function mn(e,t){return e>t?"A":"B"}function Sn(e,t,i,s,r,n){let o=e,a=t,l="";for(;(o!==i||a!==s)&&a>=0&&a<n.buffer.lines.
length;)o+=r?1:-1,r&&o>n.cols-1?(l+=n.buffer.translateBufferLineToString(a,!1,e,o),o=0,e=0,a++):!r&&o<0&&(l+=n.buffer.translateBufferLineToString(a,!1,0,e+1),o=
n.cols-1,e=o,a--);return l+n.buffer.translateBufferLineToString(a,!1,e,o)}function xt(e,t){let i=t?"O":"[";return g.ESC+i+e}function Et(e,t){e=Math.floor(e);let i="";
for(let s=0;s<e;s++)i+=t;return i}var ca=class{constructor(e){this._bufferService=e,this.isSelectAllActive=!1,this.selectionStartLength=0}clearSelection(){this.
selectionStart=void 0,this.selectionEnd=void 0,this.isSelectAllActive=!1,this.selectionStartLength=0}get finalSelectionStart(){return this.isSelectAllActive?[0,
0]:!this.selectionEnd||!this.selectionStart?this.selectionStart:this.areSelectionValuesReversed()?this.selectionEnd:this.selectionStart}get finalSelectionEnd(){
if(this.isSelectAllActive)return[this._bufferService.cols,this._bufferService.buffer.ybase+this._bufferService.rows-1];if(this.selectionStart){if(!this.selectionEnd||
this.areSelectionValuesReversed()){let e=this.selectionStart[0]+this.selectionStartLength;return e>this._bufferService.cols?e%this._bufferService.cols===0?[this.
_bufferService.cols,this.selectionStart[1]+Math.floor(e/this._bufferService.cols)-1]:[e%this._bufferService.cols,this.selectionStart[1]+Math.floor(e/this._bufferService.
cols)]:[e,this.selectionStart[1]]}if(this.selectionStartLength&&this.selectionEnd[1]===this.selectionStart[1]){let e=this.selectionStart[0]+this.selectionStartLength;
return e>this._bufferService.cols?[e%this._bufferService.cols,this.selectionStart[1]+Math.floor(e/this._bufferService.cols)]:[Math.max(e,this.selectionEnd[0]),this.
selectionEnd[1]]}return this.selectionEnd}}areSelectionValuesReversed(){let e=this.selectionStart,t=this.selectionEnd;return!e||!t?!1:e[1]>t[1]||e[1]===t[1]&&e[0]>
t[0]}handleTrim(e){return this.selectionStart&&(this.selectionStart[1]-=e),this.selectionEnd&&(this.selectionEnd[1]-=e),this.selectionEnd&&this.selectionEnd[1]<
0?(this.clearSelection(),!0):(this.selectionStart&&this.selectionStart[1]<0&&(this.selectionStart[1]=0),!1)}};function er(e,t){if(e.start.y>e.end.y)throw new Error(
`Buffer range end (${e.end.x}, ${e.end.y}) cannot be before start (${e.start.x}, ${e.start.y})`);return t*(e.end.y-e.start.y)+(e.end.x-e.start.x+1)}var bi=50,da=15,
_a=50,ua=500,fa="\xA0",pa=new RegExp(fa,"g"),is=class extends R{constructor(e,t,i,s,r,n,o,a,l){super(),this._element=e,this._screenElement=t,this._linkifier=i,this.
_bufferService=s,this._coreService=r,this._mouseService=n,this._optionsService=o,this._renderService=a,this._coreBrowserService=l,this._dragScrollAmount=0,this.
_enabled=!0,this._workCell=new we,this._mouseDownTimeStamp=0,this._oldHasSelection=!1,this._oldSelectionStart=void 0,this._oldSelectionEnd=void 0,this._onLinuxMouseSelection=
this._register(new v),this.onLinuxMouseSelection=this._onLinuxMouseSelection.event,this._onRedrawRequest=this._register(new v),this.onRequestRedraw=this._onRedrawRequest.
event,this._onSelectionChange=this._register(new v),this.onSelectionChange=this._onSelectionChange.event,this._onRequestScrollLines=this._register(new v),this.onRequestScrollLines=
this._onRequestScrollLines.event,this._mouseMoveListener=h=>this._handleMouseMove(h),this._mouseUpListener=h=>this._handleMouseUp(h),this._coreService.onUserInput(
()=>{this.hasSelection&&this.clearSelection()}),this._trimListener=this._bufferService.buffer.lines.onTrim(h=>this._handleTrim(h)),this._register(this._bufferService.
buffers.onBufferActivate(h=>this._handleBufferActivate(h))),this.enable(),this._model=new ca(this._bufferService),this._activeSelectionMode=0,this._register(W(()=>{
this._removeMouseDownListeners()})),this._register(this._bufferService.onResize(h=>{h.rowsChanged&&this.clearSelection()}))}reset(){this.clearSelection()}disable(){
this.clearSelection(),this._enabled=!1}enable(){this._enabled=!0}get selectionStart(){return this._model.finalSelectionStart}get selectionEnd(){return this._model.
finalSelectionEnd}get hasSelection(){let e=this._model.finalSelectionStart,t=this._model.finalSelectionEnd;return!e||!t?!1:e[0]!==t[0]||e[1]!==t[1]}get selectionText(){
let e=this._model.finalSelectionStart,t=this._model.finalSelectionEnd;if(!e||!t)return"";let i=this._bufferService.buffer,s=[];if(this._activeSelectionMode===3){
if(e[0]===t[0])return"";let r=e[0]<t[0]?e[0]:t[0],n=e[0]<t[0]?t[0]:e[0];for(let o=e[1];o<=t[1];o++){let a=i.translateBufferLineToString(o,!0,r,n);s.push(a)}}else{
let r=e[1]===t[1]?t[0]:void 0;s.push(i.translateBufferLineToString(e[1],!0,e[0],r));for(let n=e[1]+1;n<=t[1]-1;n++){let o=i.lines.get(n),a=i.translateBufferLineToString(
n,!0);o?.isWrapped?s[s.length-1]+=a:s.push(a)}if(e[1]!==t[1]){let n=i.lines.get(t[1]),o=i.translateBufferLineToString(t[1],!0,0,t[0]);n&&n.isWrapped?s[s.length-
1]+=o:s.push(o)}}return s.map(r=>r.replace(pa," ")).join(pn?`\r
`:`
`)}clearSelection(){this._model.clearSelection(),this._removeMouseDownListeners(),this.refresh(),this._onSelectionChange.fire()}refresh(e){this._refreshAnimationFrame||
(this._refreshAnimationFrame=this._coreBrowserService.window.requestAnimationFrame(()=>this._refresh())),bs&&e&&this.selectionText.length&&this._onLinuxMouseSelection.
fire(this.selectionText)}_refresh(){this._refreshAnimationFrame=void 0,this._onRedrawRequest.fire({start:this._model.finalSelectionStart,end:this._model.finalSelectionEnd,
columnSelectMode:this._activeSelectionMode===3})}_isClickInSelection(e){let t=this._getMouseBufferCoords(e),i=this._model.finalSelectionStart,s=this._model.finalSelectionEnd;
return!i||!s||!t?!1:this._areCoordsInSelection(t,i,s)}isCellInSelection(e,t){let i=this._model.finalSelectionStart,s=this._model.finalSelectionEnd;return!i||!s?
!1:this._areCoordsInSelection([e,t],i,s)}_areCoordsInSelection(e,t,i){return e[1]>t[1]&&e[1]<i[1]||t[1]===i[1]&&e[1]===t[1]&&e[0]>=t[0]&&e[0]<i[0]||t[1]<i[1]&&e[1]===
i[1]&&e[0]<i[0]||t[1]<i[1]&&e[1]===t[1]&&e[0]>=t[0]}_selectWordAtCursor(e,t){let i=this._linkifier.currentLink?.link?.range;if(i)return this._model.selectionStart=
[i.start.x-1,i.start.y-1],this._model.selectionStartLength=er(i,this._bufferService.cols),this._model.selectionEnd=void 0,!0;let s=this._getMouseBufferCoords(e);
return s?(this._selectWordAt(s,t),this._model.selectionEnd=void 0,!0):!1}selectAll(){this._model.isSelectAllActive=!0,this.refresh(),this._onSelectionChange.fire()}selectLines(e,t){
this._model.clearSelection(),e=Math.max(e,0),t=Math.min(t,this._bufferService.buffer.lines.length-1),this._model.selectionStart=[0,e],this._model.selectionEnd=[
this._bufferService.cols,t],this.refresh(),this._onSelectionChange.fire()}_handleTrim(e){this._model.handleTrim(e)&&this.refresh()}_getMouseBufferCoords(e){let t=this.
_mouseService.getCoords(e,this._screenElement,this._bufferService.cols,this._bufferService.rows,!0);if(t)return t[0]--,t[1]--,t[1]+=this._bufferService.buffer.ydisp,
t}_getMouseEventScrollAmount(e){let t=ws(this._coreBrowserService.window,e,this._screenElement)[1],i=this._renderService.dimensions.css.canvas.height;return t>=
0&&t<=i?0:(t>i&&(t-=i),t=Math.min(Math.max(t,-bi),bi),t/=bi,t/Math.abs(t)+Math.round(t*(da-1)))}shouldForceSelection(e){return ti?e.altKey&&this._optionsService.
rawOptions.macOptionClickForcesSelection:e.shiftKey}handleMouseDown(e){if(this._mouseDownTimeStamp=e.timeStamp,!(e.button===2&&this.hasSelection)&&e.button===0){
if(!this._enabled){if(!this.shouldForceSelection(e))return;e.stopPropagation()}e.preventDefault(),this._dragScrollAmount=0,this._enabled&&e.shiftKey?this._handleIncrementalClick(
e):e.detail===1?this._handleSingleClick(e):e.detail===2?this._handleDoubleClick(e):e.detail===3&&this._handleTripleClick(e),this._addMouseDownListeners(),this.refresh(
!0)}}_addMouseDownListeners(){this._screenElement.ownerDocument&&(this._screenElement.ownerDocument.addEventListener("mousemove",this._mouseMoveListener),this._screenElement.
ownerDocument.addEventListener("mouseup",this._mouseUpListener)),this._dragScrollIntervalTimer=this._coreBrowserService.window.setInterval(()=>this._dragScroll(),
_a)}_removeMouseDownListeners(){this._screenElement.ownerDocument&&(this._screenElement.ownerDocument.removeEventListener("mousemove",this._mouseMoveListener),this.
_screenElement.ownerDocument.removeEventListener("mouseup",this._mouseUpListener)),this._coreBrowserService.window.clearInterval(this._dragScrollIntervalTimer),
this._dragScrollIntervalTimer=void 0}_handleIncrementalClick(e){this._model.selectionStart&&(this._model.selectionEnd=this._getMouseBufferCoords(e))}_handleSingleClick(e){
if(this._model.selectionStartLength=0,this._model.isSelectAllActive=!1,this._activeSelectionMode=this.shouldColumnSelect(e)?3:0,this._model.selectionStart=this.
_getMouseBufferCoords(e),!this._model.selectionStart)return;this._model.selectionEnd=void 0;let t=this._bufferService.buffer.lines.get(this._model.selectionStart[1]);
t&&t.length!==this._model.selectionStart[0]&&t.hasWidth(this._model.selectionStart[0])===0&&this._model.selectionStart[0]++}_handleDoubleClick(e){this._selectWordAtCursor(
e,!0)&&(this._activeSelectionMode=1)}_handleTripleClick(e){let t=this._getMouseBufferCoords(e);t&&(this._activeSelectionMode=2,this._selectLineAt(t[1]))}shouldColumnSelect(e){
return e.altKey&&!(ti&&this._optionsService.rawOptions.macOptionClickForcesSelection)}_handleMouseMove(e){if(e.stopImmediatePropagation(),!this._model.selectionStart)
return;let t=this._model.selectionEnd?[this._model.selectionEnd[0],this._model.selectionEnd[1]]:null;if(this._model.selectionEnd=this._getMouseBufferCoords(e),!this.
_model.selectionEnd){this.refresh(!0);return}this._activeSelectionMode===2?this._model.selectionEnd[1]<this._model.selectionStart[1]?this._model.selectionEnd[0]=
0:this._model.selectionEnd[0]=this._bufferService.cols:this._activeSelectionMode===1&&this._selectToWordAt(this._model.selectionEnd),this._dragScrollAmount=this.
_getMouseEventScrollAmount(e),this._activeSelectionMode!==3&&(this._dragScrollAmount>0?this._model.selectionEnd[0]=this._bufferService.cols:this._dragScrollAmount<
0&&(this._model.selectionEnd[0]=0));let i=this._bufferService.buffer;if(this._model.selectionEnd[1]<i.lines.length){let s=i.lines.get(this._model.selectionEnd[1]);
s&&s.hasWidth(this._model.selectionEnd[0])===0&&this._model.selectionEnd[0]<this._bufferService.cols&&this._model.selectionEnd[0]++}(!t||t[0]!==this._model.selectionEnd[0]||
t[1]!==this._model.selectionEnd[1])&&this.refresh(!0)}_dragScroll(){if(!(!this._model.selectionEnd||!this._model.selectionStart)&&this._dragScrollAmount){this._onRequestScrollLines.
fire({amount:this._dragScrollAmount,suppressScrollEvent:!1});let e=this._bufferService.buffer;this._dragScrollAmount>0?(this._activeSelectionMode!==3&&(this._model.
selectionEnd[0]=this._bufferService.cols),this._model.selectionEnd[1]=Math.min(e.ydisp+this._bufferService.rows,e.lines.length-1)):(this._activeSelectionMode!==
3&&(this._model.selectionEnd[0]=0),this._model.selectionEnd[1]=e.ydisp),this.refresh()}}_handleMouseUp(e){let t=e.timeStamp-this._mouseDownTimeStamp;if(this._removeMouseDownListeners(),
this.selectionText.length<=1&&t<ua&&e.altKey&&this._optionsService.rawOptions.altClickMovesCursor){if(this._bufferService.buffer.ybase===this._bufferService.buffer.
ydisp){let i=this._mouseService.getCoords(e,this._element,this._bufferService.cols,this._bufferService.rows,!1);if(i&&i[0]!==void 0&&i[1]!==void 0){let s=sa(i[0]-
1,i[1]-1,this._bufferService,this._coreService.decPrivateModes.applicationCursorKeys);this._coreService.triggerDataEvent(s,!0)}}}else this._fireEventIfSelectionChanged()}_fireEventIfSelectionChanged(){
let e=this._model.finalSelectionStart,t=this._model.finalSelectionEnd,i=!!e&&!!t&&(e[0]!==t[0]||e[1]!==t[1]);if(!i){this._oldHasSelection&&this._fireOnSelectionChange(
e,t,i);return}!e||!t||(!this._oldSelectionStart||!this._oldSelectionEnd||e[0]!==this._oldSelectionStart[0]||e[1]!==this._oldSelectionStart[1]||t[0]!==this._oldSelectionEnd[0]||
t[1]!==this._oldSelectionEnd[1])&&this._fireOnSelectionChange(e,t,i)}_fireOnSelectionChange(e,t,i){this._oldSelectionStart=e,this._oldSelectionEnd=t,this._oldHasSelection=
i,this._onSelectionChange.fire()}_handleBufferActivate(e){this.clearSelection(),this._trimListener.dispose(),this._trimListener=e.activeBuffer.lines.onTrim(t=>this.
_handleTrim(t))}_convertViewportColToCharacterIndex(e,t){let i=t;for(let s=0;t>=s;s++){let r=e.loadCell(s,this._workCell).getChars().length;this._workCell.getWidth()===
0?i--:r>1&&t!==s&&(i+=r-1)}return i}setSelection(e,t,i){this._model.clearSelection(),this._removeMouseDownListeners(),this._model.selectionStart=[e,t],this._model.
selectionStartLength=i,this.refresh(),this._fireEventIfSelectionChanged()}rightClickSelect(e){this._isClickInSelection(e)||(this._selectWordAtCursor(e,!1)&&this.
refresh(!0),this._fireEventIfSelectionChanged())}_getWordAt(e,t,i=!0,s=!0){if(e[0]>=this._bufferService.cols)return;let r=this._bufferService.buffer,n=r.lines.get(
e[1]);if(!n)return;let o=r.translateBufferLineToString(e[1],!1),a=this._convertViewportColToCharacterIndex(n,e[0]),l=a,h=e[0]-a,d=0,c=0,u=0,f=0;if(o.charAt(a)===
" "){for(;a>0&&o.charAt(a-1)===" ";)a--;for(;l<o.length&&o.charAt(l+1)===" ";)l++}else{let C=e[0],D=e[0];n.getWidth(C)===0&&(d++,C--),n.getWidth(D)===2&&(c++,D++);
let I=n.getString(D).length;for(I>1&&(f+=I-1,l+=I-1);C>0&&a>0&&!this._isCharWordSeparator(n.loadCell(C-1,this._workCell));){n.loadCell(C-1,this._workCell);let M=this.
_workCell.getChars().length;this._workCell.getWidth()===0?(d++,C--):M>1&&(u+=M-1,a-=M-1),a--,C--}for(;D<n.length&&l+1<o.length&&!this._isCharWordSeparator(n.loadCell(
D+1,this._workCell));){n.loadCell(D+1,this._workCell);let M=this._workCell.getChars().length;this._workCell.getWidth()===2?(c++,D++):M>1&&(f+=M-1,l+=M-1),l++,D++}}
l++;let _=a+h-d+u,p=Math.min(this._bufferService.cols,l-a+d+c-u-f);if(!(!t&&o.slice(a,l).trim()==="")){if(i&&_===0&&n.getCodePoint(0)!==32){let C=r.lines.get(e[1]-
1);if(C&&n.isWrapped&&C.getCodePoint(this._bufferService.cols-1)!==32){let D=this._getWordAt([this._bufferService.cols-1,e[1]-1],!1,!0,!1);if(D){let I=this._bufferService.
cols-D.start;_-=I,p+=I}}}if(s&&_+p===this._bufferService.cols&&n.getCodePoint(this._bufferService.cols-1)!==32){let C=r.lines.get(e[1]+1);if(C?.isWrapped&&C.getCodePoint(
0)!==32){let D=this._getWordAt([0,e[1]+1],!1,!1,!0);D&&(p+=D.length)}}return{start:_,length:p}}}_selectWordAt(e,t){let i=this._getWordAt(e,t);if(i){for(;i.start<
0;)i.start+=this._bufferService.cols,e[1]--;this._model.selectionStart=[i.start,e[1]],this._model.selectionStartLength=i.length}}_selectToWordAt(e){let t=this._getWordAt(
e,!0);if(t){let i=e[1];for(;t.start<0;)t.start+=this._bufferService.cols,i--;if(!this._model.areSelectionValuesReversed())for(;t.start+t.length>this._bufferService.
cols;)t.length-=this._bufferService.cols,i++;this._model.selectionEnd=[this._model.areSelectionValuesReversed()?t.start:t.start+t.length,i]}}_isCharWordSeparator(e){
return e.getWidth()===0?!1:this._optionsService.rawOptions.wordSeparator.indexOf(e.getChars())>=0}_selectLineAt(e){let t=this._bufferService.buffer.getWrappedRangeForLine(
e),i={start:{x:0,y:t.first},end:{x:this._bufferService.cols-1,y:t.last}};this._model.selectionStart=[0,t.first],this._model.selectionEnd=void 0,this._model.selectionStartLength=
er(i,this._bufferService.cols)}};is=q([y(3,ce),y(4,tt),y(5,us),y(6,de),y(7,Ie),y(8,Oe)],is);var tr=class{constructor(){this._data={}}set(e,t,i){this._data[e]||(this.
_data[e]={}),this._data[e][t]=i}get(e,t){return this._data[e]?this._data[e][t]:void 0}clear(){this._data={}}},ir=class{constructor(){this._color=new tr,this._css=
new tr}setCss(e,t,i){this._css.set(e,t,i)}getCss(e,t){return this._css.get(e,t)}setColor(e,t,i){this._color.set(e,t,i)}getColor(e,t){return this._color.get(e,t)}clear(){
this._color.clear(),this._css.clear()}},X=Object.freeze((()=>{let e=[K.toColor("#2e3436"),K.toColor("#cc0000"),K.toColor("#4e9a06"),K.toColor("#c4a000"),K.toColor(
"#3465a4"),K.toColor("#75507b"),K.toColor("#06989a"),K.toColor("#d3d7cf"),K.toColor("#555753"),K.toColor("#ef2929"),K.toColor("#8ae234"),K.toColor("#fce94f"),K.
toColor("#729fcf"),K.toColor("#ad7fa8"),K.toColor("#34e2e2"),K.toColor("#eeeeec")],t=[0,95,135,175,215,255];for(let i=0;i<216;i++){let s=t[i/36%6|0],r=t[i/6%6|0],
n=t[i%6];e.push({css:j.toCss(s,r,n),rgba:j.toRgba(s,r,n)})}for(let i=0;i<24;i++){let s=8+i*10;e.push({css:j.toCss(s,s,s),rgba:j.toRgba(s,s,s)})}return e})()),Xe=K.
toColor("#ffffff"),mt=K.toColor("#000000"),sr=K.toColor("#ffffff"),rr=mt,_t={css:"rgba(255, 255, 255, 0.3)",rgba:4294967117},ga=Xe,ss=class extends R{constructor(e){
super(),this._optionsService=e,this._contrastCache=new ir,this._halfContrastCache=new ir,this._onChangeColors=this._register(new v),this.onChangeColors=this._onChangeColors.
event,this._colors={foreground:Xe,background:mt,cursor:sr,cursorAccent:rr,selectionForeground:void 0,selectionBackgroundTransparent:_t,selectionBackgroundOpaque:H.
blend(mt,_t),selectionInactiveBackgroundTransparent:_t,selectionInactiveBackgroundOpaque:H.blend(mt,_t),scrollbarSliderBackground:H.opacity(Xe,.2),scrollbarSliderHoverBackground:H.
opacity(Xe,.4),scrollbarSliderActiveBackground:H.opacity(Xe,.5),overviewRulerBorder:Xe,ansi:X.slice(),contrastCache:this._contrastCache,halfContrastCache:this._halfContrastCache},
this._updateRestoreColors(),this._setTheme(this._optionsService.rawOptions.theme),this._register(this._optionsService.onSpecificOptionChange("minimumContrastRat\
io",()=>this._contrastCache.clear())),this._register(this._optionsService.onSpecificOptionChange("theme",()=>this._setTheme(this._optionsService.rawOptions.theme)))}get colors(){
return this._colors}_setTheme(e={}){let t=this._colors;if(t.foreground=N(e.foreground,Xe),t.background=N(e.background,mt),t.cursor=H.blend(t.background,N(e.cursor,
sr)),t.cursorAccent=H.blend(t.background,N(e.cursorAccent,rr)),t.selectionBackgroundTransparent=N(e.selectionBackground,_t),t.selectionBackgroundOpaque=H.blend(
t.background,t.selectionBackgroundTransparent),t.selectionInactiveBackgroundTransparent=N(e.selectionInactiveBackground,t.selectionBackgroundTransparent),t.selectionInactiveBackgroundOpaque=
H.blend(t.background,t.selectionInactiveBackgroundTransparent),t.selectionForeground=e.selectionForeground?N(e.selectionForeground,Js):void 0,t.selectionForeground===
Js&&(t.selectionForeground=void 0),H.isOpaque(t.selectionBackgroundTransparent)&&(t.selectionBackgroundTransparent=H.opacity(t.selectionBackgroundTransparent,.3)),
H.isOpaque(t.selectionInactiveBackgroundTransparent)&&(t.selectionInactiveBackgroundTransparent=H.opacity(t.selectionInactiveBackgroundTransparent,.3)),t.scrollbarSliderBackground=
N(e.scrollbarSliderBackground,H.opacity(t.foreground,.2)),t.scrollbarSliderHoverBackground=N(e.scrollbarSliderHoverBackground,H.opacity(t.foreground,.4)),t.scrollbarSliderActiveBackground=
N(e.scrollbarSliderActiveBackground,H.opacity(t.foreground,.5)),t.overviewRulerBorder=N(e.overviewRulerBorder,ga),t.ansi=X.slice(),t.ansi[0]=N(e.black,X[0]),t.ansi[1]=
N(e.red,X[1]),t.ansi[2]=N(e.green,X[2]),t.ansi[3]=N(e.yellow,X[3]),t.ansi[4]=N(e.blue,X[4]),t.ansi[5]=N(e.magenta,X[5]),t.ansi[6]=N(e.cyan,X[6]),t.ansi[7]=N(e.white,
X[7]),t.ansi[8]=N(e.brightBlack,X[8]),t.ansi[9]=N(e.brightRed,X[9]),t.ansi[10]=N(e.brightGreen,X[10]),t.ansi[11]=N(e.brightYellow,X[11]),t.ansi[12]=N(e.brightBlue,
X[12]),t.ansi[13]=N(e.brightMagenta,X[13]),t.ansi[14]=N(e.brightCyan,X[14]),t.ansi[15]=N(e.brightWhite,X[15]),e.extendedAnsi){let i=Math.min(t.ansi.length-16,e.
extendedAnsi.length);for(let s=0;s<i;s++)t.ansi[s+16]=N(e.extendedAnsi[s],X[s+16])}this._contrastCache.clear(),this._halfContrastCache.clear(),this._updateRestoreColors(),
this._onChangeColors.fire(this.colors)}restoreColor(e){this._restoreColor(e),this._onChangeColors.fire(this.colors)}_restoreColor(e){if(e===void 0){for(let t=0;t<
this._restoreColors.ansi.length;++t)this._colors.ansi[t]=this._restoreColors.ansi[t];return}switch(e){case 256:this._colors.foreground=this._restoreColors.foreground;
break;case 257:this._colors.background=this._restoreColors.background;break;case 258:this._colors.cursor=this._restoreColors.cursor;break;default:this._colors.ansi[e]=
this._restoreColors.ansi[e]}}modifyColors(e){e(this._colors),this._onChangeColors.fire(this.colors)}_updateRestoreColors(){this._restoreColors={foreground:this.
_colors.foreground,background:this._colors.background,cursor:this._colors.cursor,ansi:this._colors.ansi.slice()}}};ss=q([y(0,de)],ss);function N(e,t){if(e!==void 0)
try{return K.toColor(e)}catch{}return t}var va=class{constructor(...e){this._entries=new Map;for(let[t,i]of e)this.set(t,i)}set(e,t){let i=this._entries.get(e);
return this._entries.set(e,t),i}forEach(e){for(let[t,i]of this._entries.entries())e(t,i)}has(e){return this._entries.has(e)}get(e){return this._entries.get(e)}},
ma=class{constructor(){this._services=new va,this._services.set(_s,this)}setService(e,t){this._services.set(e,t)}getService(e){return this._services.get(e)}createInstance(e,...t){
let i=Nn(e).sort((n,o)=>n.index-o.index),s=[];for(let n of i){let o=this._services.get(n.id);if(!o)throw new Error(`[createInstance] ${e.name} depends on UNKNOW\
N service ${n.id._id}.`);s.push(o)}let r=i.length>0?i[0].index:t.length;if(t.length!==r)throw new Error(`[createInstance] First service dependency of ${e.name} \
at position ${r+1} conflicts with ${t.length} static arguments`);return new e(...t,...s)}},Sa={trace:0,debug:1,info:2,warn:3,error:4,off:5},wa="xterm.js: ",rs=class extends R{constructor(e){
super(),this._optionsService=e,this._logLevel=5,this._updateLogLevel(),this._register(this._optionsService.onSpecificOptionChange("logLevel",()=>this._updateLogLevel())),
ba=this}get logLevel(){return this._logLevel}_updateLogLevel(){this._logLevel=Sa[this._optionsService.rawOptions.logLevel]}_evalLazyOptionalParams(e){for(let t=0;t<
e.length;t++)typeof e[t]=="function"&&(e[t]=e[t]())}_log(e,t,i){this._evalLazyOptionalParams(i),e.call(console,(this._optionsService.options.logger?"":wa)+t,...i)}trace(e,...t){
this._logLevel<=0&&this._log(this._optionsService.options.logger?.trace.bind(this._optionsService.options.logger)??console.log,e,t)}debug(e,...t){this._logLevel<=
1&&this._log(this._optionsService.options.logger?.debug.bind(this._optionsService.options.logger)??console.log,e,t)}info(e,...t){this._logLevel<=2&&this._log(this.
_optionsService.options.logger?.info.bind(this._optionsService.options.logger)??console.info,e,t)}warn(e,...t){this._logLevel<=3&&this._log(this._optionsService.
options.logger?.warn.bind(this._optionsService.options.logger)??console.warn,e,t)}error(e,...t){this._logLevel<=4&&this._log(this._optionsService.options.logger?.
error.bind(this._optionsService.options.logger)??console.error,e,t)}};rs=q([y(0,de)],rs);var ba,nr=class extends R{constructor(e){super(),this._maxLength=e,this.
onDeleteEmitter=this._register(new v),this.onDelete=this.onDeleteEmitter.event,this.onInsertEmitter=this._register(new v),this.onInsert=this.onInsertEmitter.event,
this.onTrimEmitter=this._register(new v),this.onTrim=this.onTrimEmitter.event,this._array=new Array(this._maxLength),this._startIndex=0,this._length=0}get maxLength(){
return this._maxLength}set maxLength(e){if(this._maxLength===e)return;let t=new Array(e);for(let i=0;i<Math.min(e,this.length);i++)t[i]=this._array[this._getCyclicIndex(
i)];this._array=t,this._maxLength=e,this._startIndex=0}get length(){return this._length}set length(e){if(e>this._length)for(let t=this._length;t<e;t++)this._array[t]=
void 0;this._length=e}get(e){return this._array[this._getCyclicIndex(e)]}set(e,t){this._array[this._getCyclicIndex(e)]=t}push(e){this._array[this._getCyclicIndex(
this._length)]=e,this._length===this._maxLength?(this._startIndex=++this._startIndex%this._maxLength,this.onTrimEmitter.fire(1)):this._length++}recycle(){if(this.
_length!==this._maxLength)throw new Error("Can only recycle when the buffer is full");return this._startIndex=++this._startIndex%this._maxLength,this.onTrimEmitter.
fire(1),this._array[this._getCyclicIndex(this._length-1)]}get isFull(){return this._length===this._maxLength}pop(){return this._array[this._getCyclicIndex(this.
_length---1)]}splice(e,t,...i){if(t){for(let s=e;s<this._length-t;s++)this._array[this._getCyclicIndex(s)]=this._array[this._getCyclicIndex(s+t)];this._length-=
t,this.onDeleteEmitter.fire({index:e,amount:t})}for(let s=this._length-1;s>=e;s--)this._array[this._getCyclicIndex(s+i.length)]=this._array[this._getCyclicIndex(
s)];for(let s=0;s<i.length;s++)this._array[this._getCyclicIndex(e+s)]=i[s];if(i.length&&this.onInsertEmitter.fire({index:e,amount:i.length}),this._length+i.length>
this._maxLength){let s=this._length+i.length-this._maxLength;this._startIndex+=s,this._length=this._maxLength,this.onTrimEmitter.fire(s)}else this._length+=i.length}trimStart(e){
e>this._length&&(e=this._length),this._startIndex+=e,this._length-=e,this.onTrimEmitter.fire(e)}shiftElements(e,t,i){if(!(t<=0)){if(e<0||e>=this._length)throw new Error(
"start argument out of range");if(e+i<0)throw new Error("Cannot shift elements in list beyond index 0");if(i>0){for(let r=t-1;r>=0;r--)this.set(e+r+i,this.get(e+
r));let s=e+t+i-this._length;if(s>0)for(this._length+=s;this._length>this._maxLength;)this._length--,this._startIndex++,this.onTrimEmitter.fire(1)}else for(let s=0;s<
t;s++)this.set(e+s+i,this.get(e+s))}}_getCyclicIndex(e){return(this._startIndex+e)%this._maxLength}},L=3,Y=Object.freeze(new Bt),Ht=0,yi=2,St=class wn{constructor(t,i,s=!1){
this.isWrapped=s,this._combined={},this._extendedAttrs={},this._data=new Uint32Array(t*L);let r=i||we.fromCharData([0,Rr,1,0]);for(let n=0;n<t;++n)this.setCell(
n,r);this.length=t}get(t){let i=this._data[t*L+0],s=i&2097151;return[this._data[t*L+1],i&2097152?this._combined[t]:s?Ue(s):"",i>>22,i&2097152?this._combined[t].
charCodeAt(this._combined[t].length-1):s]}set(t,i){this._data[t*L+1]=i[0],i[1].length>1?(this._combined[t]=i[1],this._data[t*L+0]=t|2097152|i[2]<<22):this._data[t*
L+0]=i[1].charCodeAt(0)|i[2]<<22}getWidth(t){return this._data[t*L+0]>>22}hasWidth(t){return this._data[t*L+0]&12582912}getFg(t){return this._data[t*L+1]}getBg(t){
return this._data[t*L+2]}hasContent(t){return this._data[t*L+0]&4194303}getCodePoint(t){let i=this._data[t*L+0];return i&2097152?this._combined[t].charCodeAt(this.
_combined[t].length-1):i&2097151}isCombined(t){return this._data[t*L+0]&2097152}getString(t){let i=this._data[t*L+0];return i&2097152?this._combined[t]:i&2097151?
Ue(i&2097151):""}isProtected(t){return this._data[t*L+2]&536870912}loadCell(t,i){return Ht=t*L,i.content=this._data[Ht+0],i.fg=this._data[Ht+1],i.bg=this._data[Ht+
2],i.content&2097152&&(i.combinedData=this._combined[t]),i.bg&268435456&&(i.extended=this._extendedAttrs[t]),i}setCell(t,i){i.content&2097152&&(this._combined[t]=
i.combinedData),i.bg&268435456&&(this._extendedAttrs[t]=i.extended),this._data[t*L+0]=i.content,this._data[t*L+1]=i.fg,this._data[t*L+2]=i.bg}setCellFromCodepoint(t,i,s,r){
r.bg&268435456&&(this._extendedAttrs[t]=r.extended),this._data[t*L+0]=i|s<<22,this._data[t*L+1]=r.fg,this._data[t*L+2]=r.bg}addCodepointToCell(t,i,s){let r=this.
_data[t*L+0];r&2097152?this._combined[t]+=Ue(i):r&2097151?(this._combined[t]=Ue(r&2097151)+Ue(i),r&=-2097152,r|=2097152):r=i|1<<22,s&&(r&=-12582913,r|=s<<22),this.
_data[t*L+0]=r}insertCells(t,i,s){if(t%=this.length,t&&this.getWidth(t-1)===2&&this.setCellFromCodepoint(t-1,0,1,s),i<this.length-t){let r=new we;for(let n=this.
length-t-i-1;n>=0;--n)this.setCell(t+i+n,this.loadCell(t+n,r));for(let n=0;n<i;++n)this.setCell(t+n,s)}else for(let r=t;r<this.length;++r)this.setCell(r,s);this.
getWidth(this.length-1)===2&&this.setCellFromCodepoint(this.length-1,0,1,s)}deleteCells(t,i,s){if(t%=this.length,i<this.length-t){let r=new we;for(let n=0;n<this.
length-t-i;++n)this.setCell(t+n,this.loadCell(t+i+n,r));for(let n=this.length-i;n<this.length;++n)this.setCell(n,s)}else for(let r=t;r<this.length;++r)this.setCell(
r,s);t&&this.getWidth(t-1)===2&&this.setCellFromCodepoint(t-1,0,1,s),this.getWidth(t)===0&&!this.hasContent(t)&&this.setCellFromCodepoint(t,0,1,s)}replaceCells(t,i,s,r=!1){
if(r){for(t&&this.getWidth(t-1)===2&&!this.isProtected(t-1)&&this.setCellFromCodepoint(t-1,0,1,s),i<this.length&&this.getWidth(i-1)===2&&!this.isProtected(i)&&this.
setCellFromCodepoint(i,0,1,s);t<i&&t<this.length;)this.isProtected(t)||this.setCell(t,s),t++;return}for(t&&this.getWidth(t-1)===2&&this.setCellFromCodepoint(t-1,
0,1,s),i<this.length&&this.getWidth(i-1)===2&&this.setCellFromCodepoint(i,0,1,s);t<i&&t<this.length;)this.setCell(t++,s)}resize(t,i){if(t===this.length)return this.
_data.length*4*yi<this._data.buffer.byteLength;let s=t*L;if(t>this.length){if(this._data.buffer.byteLength>=s*4)this._data=new Uint32Array(this._data.buffer,0,s);else{
let r=new Uint32Array(s);r.set(this._data),this._data=r}for(let r=this.length;r<t;++r)this.setCell(r,i)}else{this._data=this._data.subarray(0,s);let r=Object.keys(
this._combined);for(let o=0;o<r.length;o++){let a=parseInt(r[o],10);a>=t&&delete this._combined[a]}let n=Object.keys(this._extendedAttrs);for(let o=0;o<n.length;o++){
let a=parseInt(n[o],10);a>=t&&delete this._extendedAttrs[a]}}return this.length=t,s*4*yi<this._data.buffer.byteLength}cleanupMemory(){if(this._data.length*4*yi<
this._data.buffer.byteLength){let t=new Uint32Array(this._data.length);return t.set(this._data),this._data=t,1}return 0}fill(t,i=!1){if(i){for(let s=0;s<this.length;++s)
this.isProtected(s)||this.setCell(s,t);return}this._combined={},this._extendedAttrs={};for(let s=0;s<this.length;++s)this.setCell(s,t)}copyFrom(t){this.length!==
t.length?this._data=new Uint32Array(t._data):this._data.set(t._data),this.length=t.length,this._combined={};for(let i in t._combined)this._combined[i]=t._combined[i];
this._extendedAttrs={};for(let i in t._extendedAttrs)this._extendedAttrs[i]=t._extendedAttrs[i];this.isWrapped=t.isWrapped}clone(){let t=new wn(0);t._data=new Uint32Array(
this._data),t.length=this.length;for(let i in this._combined)t._combined[i]=this._combined[i];for(let i in this._extendedAttrs)t._extendedAttrs[i]=this._extendedAttrs[i];
return t.isWrapped=this.isWrapped,t}getTrimmedLength(){for(let t=this.length-1;t>=0;--t)if(this._data[t*L+0]&4194303)return t+(this._data[t*L+0]>>22);return 0}getNoBgTrimmedLength(){
for(let t=this.length-1;t>=0;--t)if(this._data[t*L+0]&4194303||this._data[t*L+2]&50331648)return t+(this._data[t*L+0]>>22);return 0}copyCellsFrom(t,i,s,r,n){let o=t.
_data;if(n)for(let l=r-1;l>=0;l--){for(let h=0;h<L;h++)this._data[(s+l)*L+h]=o[(i+l)*L+h];o[(i+l)*L+2]&268435456&&(this._extendedAttrs[s+l]=t._extendedAttrs[i+l])}else
for(let l=0;l<r;l++){for(let h=0;h<L;h++)this._data[(s+l)*L+h]=o[(i+l)*L+h];o[(i+l)*L+2]&268435456&&(this._extendedAttrs[s+l]=t._extendedAttrs[i+l])}let a=Object.
keys(t._combined);for(let l=0;l<a.length;l++){let h=parseInt(a[l],10);h>=i&&(this._combined[h-i+s]=t._combined[h])}}translateToString(t,i,s,r){i=i??0,s=s??this.
length,t&&(s=Math.min(s,this.getTrimmedLength())),r&&(r.length=0);let n="";for(;i<s;){let o=this._data[i*L+0],a=o&2097151,l=o&2097152?this._combined[i]:a?Ue(a):
qe;if(n+=l,r)for(let h=0;h<l.length;++h)r.push(i);i+=o>>22||1}return r&&r.push(i),n}};function ya(e,t,i,s,r,n){let o=[];for(let a=0;a<e.length-1;a++){let l=a,h=e.
get(++l);if(!h.isWrapped)continue;let d=[e.get(a)];for(;l<e.length&&h.isWrapped;)d.push(h),h=e.get(++l);if(!n&&s>=a&&s<l){a+=d.length-1;continue}let c=0,u=Dt(d,
c,t),f=1,_=0;for(;f<d.length;){let C=Dt(d,f,t),D=C-_,I=i-u,M=Math.min(D,I);d[c].copyCellsFrom(d[f],_,u,M,!1),u+=M,u===i&&(c++,u=0),_+=M,_===C&&(f++,_=0),u===0&&
c!==0&&d[c-1].getWidth(i-1)===2&&(d[c].copyCellsFrom(d[c-1],i-1,u++,1,!1),d[c-1].setCell(i-1,r))}d[c].replaceCells(u,i,r);let p=0;for(let C=d.length-1;C>0&&(C>c||
d[C].getTrimmedLength()===0);C--)p++;p>0&&(o.push(a+d.length-p),o.push(p)),a+=d.length-1}return o}function Ca(e,t){let i=[],s=0,r=t[s],n=0;for(let o=0;o<e.length;o++)
if(r===o){let a=t[++s];e.onDeleteEmitter.fire({index:o-n,amount:a}),o+=a-1,n+=a,r=t[++s]}else i.push(o);return{layout:i,countRemoved:n}}function ka(e,t){let i=[];
for(let s=0;s<t.length;s++)i.push(e.get(t[s]));for(let s=0;s<i.length;s++)e.set(s,i[s]);e.length=t.length}function xa(e,t,i){let s=[],r=e.map((l,h)=>Dt(e,h,t)).
reduce((l,h)=>l+h),n=0,o=0,a=0;for(;a<r;){if(r-a<i){s.push(r-a);break}n+=i;let l=Dt(e,o,t);n>l&&(n-=l,o++);let h=e[o].getWidth(n-1)===2;h&&n--;let d=h?i-1:i;s.push(
d),a+=d}return s}function Dt(e,t,i){if(t===e.length-1)return e[t].getTrimmedLength();let s=!e[t].hasContent(i-1)&&e[t].getWidth(i-1)===1,r=e[t+1].getWidth(0)===
2;return s&&r?i-1:i}var bn=class yn{constructor(t){this.line=t,this.isDisposed=!1,this._disposables=[],this._id=yn._nextId++,this._onDispose=this.register(new v),
this.onDispose=this._onDispose.event}get id(){return this._id}dispose(){this.isDisposed||(this.isDisposed=!0,this.line=-1,this._onDispose.fire(),Qe(this._disposables),
this._disposables.length=0)}register(t){return this._disposables.push(t),t}};bn._nextId=1;var Ea=bn,J={},Ge=J.B;J[0]={"`":"\u25C6",a:"\u2592",b:"\u2409",c:"\u240C",
d:"\u240D",e:"\u240A",f:"\xB0",g:"\xB1",h:"\u2424",i:"\u240B",j:"\u2518",k:"\u2510",l:"\u250C",m:"\u2514",n:"\u253C",o:"\u23BA",p:"\u23BB",q:"\u2500",r:"\u23BC",
s:"\u23BD",t:"\u251C",u:"\u2524",v:"\u2534",w:"\u252C",x:"\u2502",y:"\u2264",z:"\u2265","{":"\u03C0","|":"\u2260","}":"\xA3","~":"\xB7"};J.A={"#":"\xA3"};J.B=void 0;
J[4]={"#":"\xA3","@":"\xBE","[":"ij","\\":"\xBD","]":"|","{":"\xA8","|":"f","}":"\xBC","~":"\xB4"};J.C=J[5]={"[":"\xC4","\\":"\xD6","]":"\xC5","^":"\xDC","`":"\xE9",
"{":"\xE4","|":"\xF6","}":"\xE5","~":"\xFC"};J.R={"#":"\xA3","@":"\xE0","[":"\xB0","\\":"\xE7","]":"\xA7","{":"\xE9","|":"\xF9","}":"\xE8","~":"\xA8"};J.Q={"@":"\
\xE0","[":"\xE2","\\":"\xE7","]":"\xEA","^":"\xEE","`":"\xF4","{":"\xE9","|":"\xF9","}":"\xE8","~":"\xFB"};J.K={"@":"\xA7","[":"\xC4","\\":"\xD6","]":"\xDC","{":"\
\xE4","|":"\xF6","}":"\xFC","~":"\xDF"};J.Y={"#":"\xA3","@":"\xA7","[":"\xB0","\\":"\xE7","]":"\xE9","`":"\xF9","{":"\xE0","|":"\xF2","}":"\xE8","~":"\xEC"};J.E=
J[6]={"@":"\xC4","[":"\xC6","\\":"\xD8","]":"\xC5","^":"\xDC","`":"\xE4","{":"\xE6","|":"\xF8","}":"\xE5","~":"\xFC"};J.Z={"#":"\xA3","@":"\xA7","[":"\xA1","\\":"\
\xD1","]":"\xBF","{":"\xB0","|":"\xF1","}":"\xE7"};J.H=J[7]={"@":"\xC9","[":"\xC4","\\":"\xD6","]":"\xC5","^":"\xDC","`":"\xE9","{":"\xE4","|":"\xF6","}":"\xE5",
"~":"\xFC"};J["="]={"#":"\xF9","@":"\xE0","[":"\xE9","\\":"\xE7","]":"\xEA","^":"\xEE",_:"\xE8","`":"\xF4","{":"\xE4","|":"\xF6","}":"\xFC","~":"\xFB"};var or=4294967295,
hr=class{constructor(e,t,i){this._hasScrollback=e,this._optionsService=t,this._bufferService=i,this.ydisp=0,this.ybase=0,this.y=0,this.x=0,this.tabs={},this.savedY=
0,this.savedX=0,this.savedCurAttrData=Y.clone(),this.savedCharset=Ge,this.markers=[],this._nullCell=we.fromCharData([0,Rr,1,0]),this._whitespaceCell=we.fromCharData(
[0,qe,1,32]),this._isClearing=!1,this._memoryCleanupQueue=new ii,this._memoryCleanupPosition=0,this._cols=this._bufferService.cols,this._rows=this._bufferService.
rows,this.lines=new nr(this._getCorrectBufferLength(this._rows)),this.scrollTop=0,this.scrollBottom=this._rows-1,this.setupTabStops()}getNullCell(e){return e?(this.
_nullCell.fg=e.fg,this._nullCell.bg=e.bg,this._nullCell.extended=e.extended):(this._nullCell.fg=0,this._nullCell.bg=0,this._nullCell.extended=new Xt),this._nullCell}getWhitespaceCell(e){
return e?(this._whitespaceCell.fg=e.fg,this._whitespaceCell.bg=e.bg,this._whitespaceCell.extended=e.extended):(this._whitespaceCell.fg=0,this._whitespaceCell.bg=
0,this._whitespaceCell.extended=new Xt),this._whitespaceCell}getBlankLine(e,t){return new St(this._bufferService.cols,this.getNullCell(e),t)}get hasScrollback(){
return this._hasScrollback&&this.lines.maxLength>this._rows}get isCursorInViewport(){let e=this.ybase+this.y-this.ydisp;return e>=0&&e<this._rows}_getCorrectBufferLength(e){
if(!this._hasScrollback)return e;let t=e+this._optionsService.rawOptions.scrollback;return t>or?or:t}fillViewportRows(e){if(this.lines.length===0){e===void 0&&(e=
Y);let t=this._rows;for(;t--;)this.lines.push(this.getBlankLine(e))}}clear(){this.ydisp=0,this.ybase=0,this.y=0,this.x=0,this.lines=new nr(this._getCorrectBufferLength(
this._rows)),this.scrollTop=0,this.scrollBottom=this._rows-1,this.setupTabStops()}resize(e,t){let i=this.getNullCell(Y),s=0,r=this._getCorrectBufferLength(t);if(r>
this.lines.maxLength&&(this.lines.maxLength=r),this.lines.length>0){if(this._cols<e)for(let o=0;o<this.lines.length;o++)s+=+this.lines.get(o).resize(e,i);let n=0;
if(this._rows<t)for(let o=this._rows;o<t;o++)this.lines.length<t+this.ybase&&(this._optionsService.rawOptions.windowsMode||this._optionsService.rawOptions.windowsPty.
backend!==void 0||this._optionsService.rawOptions.windowsPty.buildNumber!==void 0?this.lines.push(new St(e,i)):this.ybase>0&&this.lines.length<=this.ybase+this.
y+n+1?(this.ybase--,n++,this.ydisp>0&&this.ydisp--):this.lines.push(new St(e,i)));else for(let o=this._rows;o>t;o--)this.lines.length>t+this.ybase&&(this.lines.
length>this.ybase+this.y+1?this.lines.pop():(this.ybase++,this.ydisp++));if(r<this.lines.maxLength){let o=this.lines.length-r;o>0&&(this.lines.trimStart(o),this.
ybase=Math.max(this.ybase-o,0),this.ydisp=Math.max(this.ydisp-o,0),this.savedY=Math.max(this.savedY-o,0)),this.lines.maxLength=r}this.x=Math.min(this.x,e-1),this.
y=Math.min(this.y,t-1),n&&(this.y+=n),this.savedX=Math.min(this.savedX,e-1),this.scrollTop=0}if(this.scrollBottom=t-1,this._isReflowEnabled&&(this._reflow(e,t),
this._cols>e))for(let n=0;n<this.lines.length;n++)s+=+this.lines.get(n).resize(e,i);this._cols=e,this._rows=t,this._memoryCleanupQueue.clear(),s>.1*this.lines.length&&
(this._memoryCleanupPosition=0,this._memoryCleanupQueue.enqueue(()=>this._batchedMemoryCleanup()))}_batchedMemoryCleanup(){let e=!0;this._memoryCleanupPosition>=
this.lines.length&&(this._memoryCleanupPosition=0,e=!1);let t=0;for(;this._memoryCleanupPosition<this.lines.length;)if(t+=this.lines.get(this._memoryCleanupPosition++).
cleanupMemory(),t>100)return!0;return e}get _isReflowEnabled(){let e=this._optionsService.rawOptions.windowsPty;return e&&e.buildNumber?this._hasScrollback&&e.backend===
"conpty"&&e.buildNumber>=21376:this._hasScrollback&&!this._optionsService.rawOptions.windowsMode}_reflow(e,t){this._cols!==e&&(e>this._cols?this._reflowLarger(e,
t):this._reflowSmaller(e,t))}_reflowLarger(e,t){let i=this._optionsService.rawOptions.reflowCursorLine,s=ya(this.lines,this._cols,e,this.ybase+this.y,this.getNullCell(
Y),i);if(s.length>0){let r=Ca(this.lines,s);ka(this.lines,r.layout),this._reflowLargerAdjustViewport(e,t,r.countRemoved)}}_reflowLargerAdjustViewport(e,t,i){let s=this.
getNullCell(Y),r=i;for(;r-- >0;)this.ybase===0?(this.y>0&&this.y--,this.lines.length<t&&this.lines.push(new St(e,s))):(this.ydisp===this.ybase&&this.ydisp--,this.
ybase--);this.savedY=Math.max(this.savedY-i,0)}_reflowSmaller(e,t){let i=this._optionsService.rawOptions.reflowCursorLine,s=this.getNullCell(Y),r=[],n=0;for(let o=this.
lines.length-1;o>=0;o--){let a=this.lines.get(o);if(!a||!a.isWrapped&&a.getTrimmedLength()<=e)continue;let l=[a];for(;a.isWrapped&&o>0;)a=this.lines.get(--o),l.
unshift(a);if(!i){let M=this.ybase+this.y;if(M>=o&&M<o+l.length)continue}let h=l[l.length-1].getTrimmedLength(),d=xa(l,this._cols,e),c=d.length-l.length,u;this.
ybase===0&&this.y!==this.lines.length-1?u=Math.max(0,this.y-this.lines.maxLength+c):u=Math.max(0,this.lines.length-this.lines.maxLength+c);let f=[];for(let M=0;M<
c;M++){let E=this.getBlankLine(Y,!0);f.push(E)}f.length>0&&(r.push({start:o+l.length+n,newLines:f}),n+=f.length),l.push(...f);let _=d.length-1,p=d[_];p===0&&(_--,
p=d[_]);let C=l.length-c-1,D=h;for(;C>=0;){let M=Math.min(D,p);if(l[_]===void 0)break;if(l[_].copyCellsFrom(l[C],D-M,p-M,M,!0),p-=M,p===0&&(_--,p=d[_]),D-=M,D===
0){C--;let E=Math.max(C,0);D=Dt(l,E,this._cols)}}for(let M=0;M<l.length;M++)d[M]<e&&l[M].setCell(d[M],s);let I=c-u;for(;I-- >0;)this.ybase===0?this.y<t-1?(this.
y++,this.lines.pop()):(this.ybase++,this.ydisp++):this.ybase<Math.min(this.lines.maxLength,this.lines.length+n)-t&&(this.ybase===this.ydisp&&this.ydisp++,this.ybase++);
this.savedY=Math.min(this.savedY+c,this.ybase+t-1)}if(r.length>0){let o=[],a=[];for(let p=0;p<this.lines.length;p++)a.push(this.lines.get(p));let l=this.lines.length,
h=l-1,d=0,c=r[d];this.lines.length=Math.min(this.lines.maxLength,this.lines.length+n);let u=0;for(let p=Math.min(this.lines.maxLength-1,l+n-1);p>=0;p--)if(c&&c.
start>h+u){for(let C=c.newLines.length-1;C>=0;C--)this.lines.set(p--,c.newLines[C]);p++,o.push({index:h+1,amount:c.newLines.length}),u+=c.newLines.length,c=r[++d]}else
this.lines.set(p,a[h--]);let f=0;for(let p=o.length-1;p>=0;p--)o[p].index+=f,this.lines.onInsertEmitter.fire(o[p]),f+=o[p].amount;let _=Math.max(0,l+n-this.lines.
maxLength);_>0&&this.lines.onTrimEmitter.fire(_)}}translateBufferLineToString(e,t,i=0,s){let r=this.lines.get(e);return r?r.translateToString(t,i,s):""}getWrappedRangeForLine(e){
let t=e,i=e;for(;t>0&&this.lines.get(t).isWrapped;)t--;for(;i+1<this.lines.length&&this.lines.get(i+1).isWrapped;)i++;return{first:t,last:i}}setupTabStops(e){for(e!=
null?this.tabs[e]||(e=this.prevStop(e)):(this.tabs={},e=0);e<this._cols;e+=this._optionsService.rawOptions.tabStopWidth)this.tabs[e]=!0}prevStop(e){for(e==null&&
(e=this.x);!this.tabs[--e]&&e>0;);return e>=this._cols?this._cols-1:e<0?0:e}nextStop(e){for(e==null&&(e=this.x);!this.tabs[++e]&&e<this._cols;);return e>=this._cols?
this._cols-1:e<0?0:e}clearMarkers(e){this._isClearing=!0;for(let t=0;t<this.markers.length;t++)this.markers[t].line===e&&(this.markers[t].dispose(),this.markers.
splice(t--,1));this._isClearing=!1}clearAllMarkers(){this._isClearing=!0;for(let e=0;e<this.markers.length;e++)this.markers[e].dispose();this.markers.length=0,this.
_isClearing=!1}addMarker(e){let t=new Ea(e);return this.markers.push(t),t.register(this.lines.onTrim(i=>{t.line-=i,t.line<0&&t.dispose()})),t.register(this.lines.
onInsert(i=>{t.line>=i.index&&(t.line+=i.amount)})),t.register(this.lines.onDelete(i=>{t.line>=i.index&&t.line<i.index+i.amount&&t.dispose(),t.line>i.index&&(t.
line-=i.amount)})),t.register(t.onDispose(()=>this._removeMarker(t))),t}_removeMarker(e){this._isClearing||this.markers.splice(this.markers.indexOf(e),1)}},Da=class extends R{constructor(e,t){
super(),this._optionsService=e,this._bufferService=t,this._onBufferActivate=this._register(new v),this.onBufferActivate=this._onBufferActivate.event,this.reset(),
this._register(this._optionsService.onSpecificOptionChange("scrollback",()=>this.resize(this._bufferService.cols,this._bufferService.rows))),this._register(this.
_optionsService.onSpecificOptionChange("tabStopWidth",()=>this.setupTabStops()))}reset(){this._normal=new hr(!0,this._optionsService,this._bufferService),this._normal.
fillViewportRows(),this._alt=new hr(!1,this._optionsService,this._bufferService),this._activeBuffer=this._normal,this._onBufferActivate.fire({activeBuffer:this.
_normal,inactiveBuffer:this._alt}),this.setupTabStops()}get alt(){return this._alt}get active(){return this._activeBuffer}get normal(){return this._normal}activateNormalBuffer(){
this._activeBuffer!==this._normal&&(this._normal.x=this._alt.x,this._normal.y=this._alt.y,this._alt.clearAllMarkers(),this._alt.clear(),this._activeBuffer=this.
_normal,this._onBufferActivate.fire({activeBuffer:this._normal,inactiveBuffer:this._alt}))}activateAltBuffer(e){this._activeBuffer!==this._alt&&(this._alt.fillViewportRows(
e),this._alt.x=this._normal.x,this._alt.y=this._normal.y,this._activeBuffer=this._alt,this._onBufferActivate.fire({activeBuffer:this._alt,inactiveBuffer:this._normal}))}resize(e,t){
this._normal.resize(e,t),this._alt.resize(e,t),this.setupTabStops(e)}setupTabStops(e){this._normal.setupTabStops(e),this._alt.setupTabStops(e)}},Cn=2,kn=1,ns=class extends R{constructor(e){
super(),this.isUserScrolling=!1,this._onResize=this._register(new v),this.onResize=this._onResize.event,this._onScroll=this._register(new v),this.onScroll=this.
_onScroll.event,this.cols=Math.max(e.rawOptions.cols||0,Cn),this.rows=Math.max(e.rawOptions.rows||0,kn),this.buffers=this._register(new Da(e,this)),this._register(
this.buffers.onBufferActivate(t=>{this._onScroll.fire(t.activeBuffer.ydisp)}))}get buffer(){return this.buffers.active}resize(e,t){let i=this.cols!==e,s=this.rows!==
t;this.cols=e,this.rows=t,this.buffers.resize(e,t),this._onResize.fire({cols:e,rows:t,colsChanged:i,rowsChanged:s})}reset(){this.buffers.reset(),this.isUserScrolling=
!1}scroll(e,t=!1){let i=this.buffer,s;s=this._cachedBlankLine,(!s||s.length!==this.cols||s.getFg(0)!==e.fg||s.getBg(0)!==e.bg)&&(s=i.getBlankLine(e,t),this._cachedBlankLine=
s),s.isWrapped=t;let r=i.ybase+i.scrollTop,n=i.ybase+i.scrollBottom;if(i.scrollTop===0){let o=i.lines.isFull;n===i.lines.length-1?o?i.lines.recycle().copyFrom(s):
i.lines.push(s.clone()):i.lines.splice(n+1,0,s.clone()),o?this.isUserScrolling&&(i.ydisp=Math.max(i.ydisp-1,0)):(i.ybase++,this.isUserScrolling||i.ydisp++)}else{
let o=n-r+1;i.lines.shiftElements(r+1,o-1,-1),i.lines.set(n,s.clone())}this.isUserScrolling||(i.ydisp=i.ybase),this._onScroll.fire(i.ydisp)}scrollLines(e,t){let i=this.
buffer;if(e<0){if(i.ydisp===0)return;this.isUserScrolling=!0}else e+i.ydisp>=i.ybase&&(this.isUserScrolling=!1);let s=i.ydisp;i.ydisp=Math.max(Math.min(i.ydisp+
e,i.ybase),0),s!==i.ydisp&&(t||this._onScroll.fire(i.ydisp))}};ns=q([y(0,de)],ns);var it={cols:80,rows:24,cursorBlink:!1,cursorStyle:"block",cursorWidth:1,cursorInactiveStyle:"\
outline",customGlyphs:!0,drawBoldTextInBrightColors:!0,documentOverride:null,fastScrollModifier:"alt",fastScrollSensitivity:5,fontFamily:"monospace",fontSize:15,
fontWeight:"normal",fontWeightBold:"bold",ignoreBracketedPasteMode:!1,lineHeight:1,letterSpacing:0,linkHandler:null,logLevel:"info",logger:null,scrollback:1e3,scrollOnEraseInDisplay:!1,
scrollOnUserInput:!0,scrollSensitivity:1,screenReaderMode:!1,smoothScrollDuration:0,macOptionIsMeta:!1,macOptionClickForcesSelection:!1,minimumContrastRatio:1,disableStdin:!1,
allowProposedApi:!1,allowTransparency:!1,tabStopWidth:8,theme:{},reflowCursorLine:!1,rescaleOverlappingGlyphs:!1,rightClickSelectsWord:ti,windowOptions:{},windowsMode:!1,
windowsPty:{},wordSeparator:" ()[]{}',\"`",altClickMovesCursor:!0,convertEol:!1,termName:"xterm",cancelEvents:!1,overviewRuler:{}},Ba=["normal","bold","100","20\
0","300","400","500","600","700","800","900"],Ra=class extends R{constructor(e){super(),this._onOptionChange=this._register(new v),this.onOptionChange=this._onOptionChange.
event;let t={...it};for(let i in e)if(i in t)try{let s=e[i];t[i]=this._sanitizeAndValidateOption(i,s)}catch(s){console.error(s)}this.rawOptions=t,this.options={
...t},this._setupOptions(),this._register(W(()=>{this.rawOptions.linkHandler=null,this.rawOptions.documentOverride=null}))}onSpecificOptionChange(e,t){return this.
onOptionChange(i=>{i===e&&t(this.rawOptions[e])})}onMultipleOptionChange(e,t){return this.onOptionChange(i=>{e.indexOf(i)!==-1&&t()})}_setupOptions(){let e=i=>{
if(!(i in it))throw new Error(`No option with key "${i}"`);return this.rawOptions[i]},t=(i,s)=>{if(!(i in it))throw new Error(`No option with key "${i}"`);s=this.
_sanitizeAndValidateOption(i,s),this.rawOptions[i]!==s&&(this.rawOptions[i]=s,this._onOptionChange.fire(i))};for(let i in this.rawOptions){let s={get:e.bind(this,
i),set:t.bind(this,i)};Object.defineProperty(this.options,i,s)}}_sanitizeAndValidateOption(e,t){switch(e){case"cursorStyle":if(t||(t=it[e]),!La(t))throw new Error(
`"${t}" is not a valid value for ${e}`);break;case"wordSeparator":t||(t=it[e]);break;case"fontWeight":case"fontWeightBold":if(typeof t=="number"&&1<=t&&t<=1e3)break;
t=Ba.includes(t)?t:it[e];break;case"cursorWidth":t=Math.floor(t);case"lineHeight":case"tabStopWidth":if(t<1)throw new Error(`${e} cannot be less than 1, value: ${t}`);
break;case"minimumContrastRatio":t=Math.max(1,Math.min(21,Math.round(t*10)/10));break;case"scrollback":if(t=Math.min(t,4294967295),t<0)throw new Error(`${e} can\
not be less than 0, value: ${t}`);break;case"fastScrollSensitivity":case"scrollSensitivity":if(t<=0)throw new Error(`${e} cannot be less than or equal to 0, val\
ue: ${t}`);break;case"rows":case"cols":if(!t&&t!==0)throw new Error(`${e} must be numeric, value: ${t}`);break;case"windowsPty":t=t??{};break}return t}};function La(e){
return e==="block"||e==="underline"||e==="bar"}function wt(e,t=5){if(typeof e!="object")return e;let i=Array.isArray(e)?[]:{};for(let s in e)i[s]=t<=1?e[s]:e[s]&&
wt(e[s],t-1);return i}var ar=Object.freeze({insertMode:!1}),lr=Object.freeze({applicationCursorKeys:!1,applicationKeypad:!1,bracketedPasteMode:!1,cursorBlink:void 0,
cursorStyle:void 0,origin:!1,reverseWraparound:!1,sendFocus:!1,synchronizedOutput:!1,wraparound:!0}),os=class extends R{constructor(e,t,i){super(),this._bufferService=
e,this._logService=t,this._optionsService=i,this.isCursorInitialized=!1,this.isCursorHidden=!1,this._onData=this._register(new v),this.onData=this._onData.event,
this._onUserInput=this._register(new v),this.onUserInput=this._onUserInput.event,this._onBinary=this._register(new v),this.onBinary=this._onBinary.event,this._onRequestScrollToBottom=
this._register(new v),this.onRequestScrollToBottom=this._onRequestScrollToBottom.event,this.modes=wt(ar),this.decPrivateModes=wt(lr)}reset(){this.modes=wt(ar),this.
decPrivateModes=wt(lr)}triggerDataEvent(e,t=!1){if(this._optionsService.rawOptions.disableStdin)return;let i=this._bufferService.buffer;t&&this._optionsService.
rawOptions.scrollOnUserInput&&i.ybase!==i.ydisp&&this._onRequestScrollToBottom.fire(),t&&this._onUserInput.fire(),this._logService.debug(`sending data "${e}"`),
this._logService.trace("sending data (codes)",()=>e.split("").map(s=>s.charCodeAt(0))),this._onData.fire(e)}triggerBinaryEvent(e){this._optionsService.rawOptions.
disableStdin||(this._logService.debug(`sending binary "${e}"`),this._logService.trace("sending binary (codes)",()=>e.split("").map(t=>t.charCodeAt(0))),this._onBinary.
fire(e))}};os=q([y(0,ce),y(1,Ar),y(2,de)],os);var cr={NONE:{events:0,restrict:()=>!1},X10:{events:1,restrict:e=>e.button===4||e.action!==1?!1:(e.ctrl=!1,e.alt=!1,
e.shift=!1,!0)},VT200:{events:19,restrict:e=>e.action!==32},DRAG:{events:23,restrict:e=>!(e.action===32&&e.button===3)},ANY:{events:31,restrict:e=>!0}};function Ci(e,t){
let i=(e.ctrl?16:0)|(e.shift?4:0)|(e.alt?8:0);return e.button===4?(i|=64,i|=e.action):(i|=e.button&3,e.button&4&&(i|=64),e.button&8&&(i|=128),e.action===32?i|=32:
e.action===0&&!t&&(i|=3)),i}var ki=String.fromCharCode,dr={DEFAULT:e=>{let t=[Ci(e,!1)+32,e.col+32,e.row+32];return t[0]>255||t[1]>255||t[2]>255?"":`\x1B[M${ki(
t[0])}${ki(t[1])}${ki(t[2])}`},SGR:e=>{let t=e.action===0&&e.button!==4?"m":"M";return`\x1B[<${Ci(e,!0)};${e.col};${e.row}${t}`},SGR_PIXELS:e=>{let t=e.action===
0&&e.button!==4?"m":"M";return`\x1B[<${Ci(e,!0)};${e.x};${e.y}${t}`}},hs=class extends R{constructor(e,t,i){super(),this._bufferService=e,this._coreService=t,this.
_optionsService=i,this._protocols={},this._encodings={},this._activeProtocol="",this._activeEncoding="",this._lastEvent=null,this._wheelPartialScroll=0,this._onProtocolChange=
this._register(new v),this.onProtocolChange=this._onProtocolChange.event;for(let s of Object.keys(cr))this.addProtocol(s,cr[s]);for(let s of Object.keys(dr))this.
addEncoding(s,dr[s]);this.reset()}addProtocol(e,t){this._protocols[e]=t}addEncoding(e,t){this._encodings[e]=t}get activeProtocol(){return this._activeProtocol}get areMouseEventsActive(){
return this._protocols[this._activeProtocol].events!==0}set activeProtocol(e){if(!this._protocols[e])throw new Error(`unknown protocol "${e}"`);this._activeProtocol=
e,this._onProtocolChange.fire(this._protocols[e].events)}get activeEncoding(){return this._activeEncoding}set activeEncoding(e){if(!this._encodings[e])throw new Error(
`unknown encoding "${e}"`);this._activeEncoding=e}reset(){this.activeProtocol="NONE",this.activeEncoding="DEFAULT",this._lastEvent=null,this._wheelPartialScroll=
0}consumeWheelEvent(e,t,i){if(e.deltaY===0||e.shiftKey||t===void 0||i===void 0)return 0;let s=t/i,r=this._applyScrollModifier(e.deltaY,e);return e.deltaMode===WheelEvent.
DOM_DELTA_PIXEL?(r/=s+0,Math.abs(e.deltaY)<50&&(r*=.3),this._wheelPartialScroll+=r,r=Math.floor(Math.abs(this._wheelPartialScroll))*(this._wheelPartialScroll>0?
1:-1),this._wheelPartialScroll%=1):e.deltaMode===WheelEvent.DOM_DELTA_PAGE&&(r*=this._bufferService.rows),r}_applyScrollModifier(e,t){return t.altKey||t.ctrlKey||
t.shiftKey?e*this._optionsService.rawOptions.fastScrollSensitivity*this._optionsService.rawOptions.scrollSensitivity:e*this._optionsService.rawOptions.scrollSensitivity}triggerMouseEvent(e){
if(e.col<0||e.col>=this._bufferService.cols||e.row<0||e.row>=this._bufferService.rows||e.button===4&&e.action===32||e.button===3&&e.action!==32||e.button!==4&&(e.
action===2||e.action===3)||(e.col++,e.row++,e.action===32&&this._lastEvent&&this._equalEvents(this._lastEvent,e,this._activeEncoding==="SGR_PIXELS"))||!this._protocols[this.
_activeProtocol].restrict(e))return!1;let t=this._encodings[this._activeEncoding](e);return t&&(this._activeEncoding==="DEFAULT"?this._coreService.triggerBinaryEvent(
t):this._coreService.triggerDataEvent(t,!0)),this._lastEvent=e,!0}explainEvents(e){return{down:!!(e&1),up:!!(e&2),drag:!!(e&4),move:!!(e&8),wheel:!!(e&16)}}_equalEvents(e,t,i){
if(i){if(e.x!==t.x||e.y!==t.y)return!1}else if(e.col!==t.col||e.row!==t.row)return!1;return!(e.button!==t.button||e.action!==t.action||e.ctrl!==t.ctrl||e.alt!==
t.alt||e.shift!==t.shift)}};hs=q([y(0,ce),y(1,tt),y(2,de)],hs);var xi=[[768,879],[1155,1158],[1160,1161],[1425,1469],[1471,1471],[1473,1474],[1476,1477],[1479,1479],
[1536,1539],[1552,1557],[1611,1630],[1648,1648],[1750,1764],[1767,1768],[1770,1773],[1807,1807],[1809,1809],[1840,1866],[1958,1968],[2027,2035],[2305,2306],[2364,
2364],[2369,2376],[2381,2381],[2385,2388],[2402,2403],[2433,2433],[2492,2492],[2497,2500],[2509,2509],[2530,2531],[2561,2562],[2620,2620],[2625,2626],[2631,2632],
[2635,2637],[2672,2673],[2689,2690],[2748,2748],[2753,2757],[2759,2760],[2765,2765],[2786,2787],[2817,2817],[2876,2876],[2879,2879],[2881,2883],[2893,2893],[2902,
2902],[2946,2946],[3008,3008],[3021,3021],[3134,3136],[3142,3144],[3146,3149],[3157,3158],[3260,3260],[3263,3263],[3270,3270],[3276,3277],[3298,3299],[3393,3395],
[3405,3405],[3530,3530],[3538,3540],[3542,3542],[3633,3633],[3636,3642],[3655,3662],[3761,3761],[3764,3769],[3771,3772],[3784,3789],[3864,3865],[3893,3893],[3895,
3895],[3897,3897],[3953,3966],[3968,3972],[3974,3975],[3984,3991],[3993,4028],[4038,4038],[4141,4144],[4146,4146],[4150,4151],[4153,4153],[4184,4185],[4448,4607],
[4959,4959],[5906,5908],[5938,5940],[5970,5971],[6002,6003],[6068,6069],[6071,6077],[6086,6086],[6089,6099],[6109,6109],[6155,6157],[6313,6313],[6432,6434],[6439,
6440],[6450,6450],[6457,6459],[6679,6680],[6912,6915],[6964,6964],[6966,6970],[6972,6972],[6978,6978],[7019,7027],[7616,7626],[7678,7679],[8203,8207],[8234,8238],
[8288,8291],[8298,8303],[8400,8431],[12330,12335],[12441,12442],[43014,43014],[43019,43019],[43045,43046],[64286,64286],[65024,65039],[65056,65059],[65279,65279],
[65529,65531]],Ma=[[68097,68099],[68101,68102],[68108,68111],[68152,68154],[68159,68159],[119143,119145],[119155,119170],[119173,119179],[119210,119213],[119362,
119364],[917505,917505],[917536,917631],[917760,917999]],G;function Pa(e,t){let i=0,s=t.length-1,r;if(e<t[0][0]||e>t[s][1])return!1;for(;s>=i;)if(r=i+s>>1,e>t[r][1])
i=r+1;else if(e<t[r][0])s=r-1;else return!0;return!1}var Ta=class{constructor(){if(this.version="6",!G){G=new Uint8Array(65536),G.fill(1),G[0]=0,G.fill(0,1,32),
G.fill(0,127,160),G.fill(2,4352,4448),G[9001]=2,G[9002]=2,G.fill(2,11904,42192),G[12351]=1,G.fill(2,44032,55204),G.fill(2,63744,64256),G.fill(2,65040,65050),G.fill(
2,65072,65136),G.fill(2,65280,65377),G.fill(2,65504,65511);for(let e=0;e<xi.length;++e)G.fill(0,xi[e][0],xi[e][1]+1)}}wcwidth(e){return e<32?0:e<127?1:e<65536?G[e]:
Pa(e,Ma)?0:e>=131072&&e<=196605||e>=196608&&e<=262141?2:1}charProperties(e,t){let i=this.wcwidth(e),s=i===0&&t!==0;if(s){let r=Je.extractWidth(t);r===0?s=!1:r>i&&
(i=r)}return Je.createPropertyValue(0,i,s)}},Je=class jt{constructor(){this._providers=Object.create(null),this._active="",this._onChange=new v,this.onChange=this.
_onChange.event;let t=new Ta;this.register(t),this._active=t.version,this._activeProvider=t}static extractShouldJoin(t){return(t&1)!==0}static extractWidth(t){return t>>
1&3}static extractCharKind(t){return t>>3}static createPropertyValue(t,i,s=!1){return(t&16777215)<<3|(i&3)<<1|(s?1:0)}dispose(){this._onChange.dispose()}get versions(){
return Object.keys(this._providers)}get activeVersion(){return this._active}set activeVersion(t){if(!this._providers[t])throw new Error(`unknown Unicode version\
 "${t}"`);this._active=t,this._activeProvider=this._providers[t],this._onChange.fire(t)}register(t){this._providers[t.version]=t}wcwidth(t){return this._activeProvider.
wcwidth(t)}getStringCellWidth(t){let i=0,s=0,r=t.length;for(let n=0;n<r;++n){let o=t.charCodeAt(n);if(55296<=o&&o<=56319){if(++n>=r)return i+this.wcwidth(o);let h=t.
charCodeAt(n);56320<=h&&h<=57343?o=(o-55296)*1024+h-56320+65536:i+=this.wcwidth(h)}let a=this.charProperties(o,s),l=jt.extractWidth(a);jt.extractShouldJoin(a)&&
(l-=jt.extractWidth(s)),i+=l,s=a}return i}charProperties(t,i){return this._activeProvider.charProperties(t,i)}},Aa=class{constructor(){this.glevel=0,this._charsets=
[]}reset(){this.charset=void 0,this._charsets=[],this.glevel=0}setgLevel(e){this.glevel=e,this.charset=this._charsets[e]}setgCharset(e,t){this._charsets[e]=t,this.
glevel===e&&(this.charset=t)}};function _r(e){let t=e.buffer.lines.get(e.buffer.ybase+e.buffer.y-1)?.get(e.cols-1),i=e.buffer.lines.get(e.buffer.ybase+e.buffer.
y);i&&t&&(i.isWrapped=t[3]!==0&&t[3]!==32)}var ut=2147483647,Oa=256,xn=class as{constructor(t=32,i=32){if(this.maxLength=t,this.maxSubParamsLength=i,i>Oa)throw new Error(
"maxSubParamsLength must not be greater than 256");this.params=new Int32Array(t),this.length=0,this._subParams=new Int32Array(i),this._subParamsLength=0,this._subParamsIdx=
new Uint16Array(t),this._rejectDigits=!1,this._rejectSubDigits=!1,this._digitIsSub=!1}static fromArray(t){let i=new as;if(!t.length)return i;for(let s=Array.isArray(
t[0])?1:0;s<t.length;++s){let r=t[s];if(Array.isArray(r))for(let n=0;n<r.length;++n)i.addSubParam(r[n]);else i.addParam(r)}return i}clone(){let t=new as(this.maxLength,
this.maxSubParamsLength);return t.params.set(this.params),t.length=this.length,t._subParams.set(this._subParams),t._subParamsLength=this._subParamsLength,t._subParamsIdx.
set(this._subParamsIdx),t._rejectDigits=this._rejectDigits,t._rejectSubDigits=this._rejectSubDigits,t._digitIsSub=this._digitIsSub,t}toArray(){let t=[];for(let i=0;i<
this.length;++i){t.push(this.params[i]);let s=this._subParamsIdx[i]>>8,r=this._subParamsIdx[i]&255;r-s>0&&t.push(Array.prototype.slice.call(this._subParams,s,r))}
return t}reset(){this.length=0,this._subParamsLength=0,this._rejectDigits=!1,this._rejectSubDigits=!1,this._digitIsSub=!1}addParam(t){if(this._digitIsSub=!1,this.
length>=this.maxLength){this._rejectDigits=!0;return}if(t<-1)throw new Error("values lesser than -1 are not allowed");this._subParamsIdx[this.length]=this._subParamsLength<<
8|this._subParamsLength,this.params[this.length++]=t>ut?ut:t}addSubParam(t){if(this._digitIsSub=!0,!!this.length){if(this._rejectDigits||this._subParamsLength>=
this.maxSubParamsLength){this._rejectSubDigits=!0;return}if(t<-1)throw new Error("values lesser than -1 are not allowed");this._subParams[this._subParamsLength++]=
t>ut?ut:t,this._subParamsIdx[this.length-1]++}}hasSubParams(t){return(this._subParamsIdx[t]&255)-(this._subParamsIdx[t]>>8)>0}getSubParams(t){let i=this._subParamsIdx[t]>>
8,s=this._subParamsIdx[t]&255;return s-i>0?this._subParams.subarray(i,s):null}getSubParamsAll(){let t={};for(let i=0;i<this.length;++i){let s=this._subParamsIdx[i]>>
8,r=this._subParamsIdx[i]&255;r-s>0&&(t[i]=this._subParams.slice(s,r))}return t}addDigit(t){let i;if(this._rejectDigits||!(i=this._digitIsSub?this._subParamsLength:
this.length)||this._digitIsSub&&this._rejectSubDigits)return;let s=this._digitIsSub?this._subParams:this.params,r=s[i-1];s[i-1]=~r?Math.min(r*10+t,ut):t}},ft=[],
Ia=class{constructor(){this._state=0,this._active=ft,this._id=-1,this._handlers=Object.create(null),this._handlerFb=()=>{},this._stack={paused:!1,loopPosition:0,
fallThrough:!1}}registerHandler(e,t){this._handlers[e]===void 0&&(this._handlers[e]=[]);let i=this._handlers[e];return i.push(t),{dispose:()=>{let s=i.indexOf(t);
s!==-1&&i.splice(s,1)}}}clearHandler(e){this._handlers[e]&&delete this._handlers[e]}setHandlerFallback(e){this._handlerFb=e}dispose(){this._handlers=Object.create(
null),this._handlerFb=()=>{},this._active=ft}reset(){if(this._state===2)for(let e=this._stack.paused?this._stack.loopPosition-1:this._active.length-1;e>=0;--e)this.
_active[e].end(!1);this._stack.paused=!1,this._active=ft,this._id=-1,this._state=0}_start(){if(this._active=this._handlers[this._id]||ft,!this._active.length)this.
_handlerFb(this._id,"START");else for(let e=this._active.length-1;e>=0;e--)this._active[e].start()}_put(e,t,i){if(!this._active.length)this._handlerFb(this._id,
"PUT",ri(e,t,i));else for(let s=this._active.length-1;s>=0;s--)this._active[s].put(e,t,i)}start(){this.reset(),this._state=1}put(e,t,i){if(this._state!==3){if(this.
_state===1)for(;t<i;){let s=e[t++];if(s===59){this._state=2,this._start();break}if(s<48||57<s){this._state=3;return}this._id===-1&&(this._id=0),this._id=this._id*
10+s-48}this._state===2&&i-t>0&&this._put(e,t,i)}}end(e,t=!0){if(this._state!==0){if(this._state!==3)if(this._state===1&&this._start(),!this._active.length)this.
_handlerFb(this._id,"END",e);else{let i=!1,s=this._active.length-1,r=!1;if(this._stack.paused&&(s=this._stack.loopPosition-1,i=t,r=this._stack.fallThrough,this.
_stack.paused=!1),!r&&i===!1){for(;s>=0&&(i=this._active[s].end(e),i!==!0);s--)if(i instanceof Promise)return this._stack.paused=!0,this._stack.loopPosition=s,this.
_stack.fallThrough=!1,i;s--}for(;s>=0;s--)if(i=this._active[s].end(!1),i instanceof Promise)return this._stack.paused=!0,this._stack.loopPosition=s,this._stack.
fallThrough=!0,i}this._active=ft,this._id=-1,this._state=0}}},fe=class{constructor(e){this._handler=e,this._data="",this._hitLimit=!1}start(){this._data="",this.
_hitLimit=!1}put(e,t,i){this._hitLimit||(this._data+=ri(e,t,i),this._data.length>1e7&&(this._data="",this._hitLimit=!0))}end(e){let t=!1;if(this._hitLimit)t=!1;else if(e&&
(t=this._handler(this._data),t instanceof Promise))return t.then(i=>(this._data="",this._hitLimit=!1,i));return this._data="",this._hitLimit=!1,t}},pt=[],Na=class{constructor(){
this._handlers=Object.create(null),this._active=pt,this._ident=0,this._handlerFb=()=>{},this._stack={paused:!1,loopPosition:0,fallThrough:!1}}dispose(){this._handlers=
Object.create(null),this._handlerFb=()=>{},this._active=pt}registerHandler(e,t){this._handlers[e]===void 0&&(this._handlers[e]=[]);let i=this._handlers[e];return i.
push(t),{dispose:()=>{let s=i.indexOf(t);s!==-1&&i.splice(s,1)}}}clearHandler(e){this._handlers[e]&&delete this._handlers[e]}setHandlerFallback(e){this._handlerFb=
e}reset(){if(this._active.length)for(let e=this._stack.paused?this._stack.loopPosition-1:this._active.length-1;e>=0;--e)this._active[e].unhook(!1);this._stack.paused=
!1,this._active=pt,this._ident=0}hook(e,t){if(this.reset(),this._ident=e,this._active=this._handlers[e]||pt,!this._active.length)this._handlerFb(this._ident,"HO\
OK",t);else for(let i=this._active.length-1;i>=0;i--)this._active[i].hook(t)}put(e,t,i){if(!this._active.length)this._handlerFb(this._ident,"PUT",ri(e,t,i));else
for(let s=this._active.length-1;s>=0;s--)this._active[s].put(e,t,i)}unhook(e,t=!0){if(!this._active.length)this._handlerFb(this._ident,"UNHOOK",e);else{let i=!1,
s=this._active.length-1,r=!1;if(this._stack.paused&&(s=this._stack.loopPosition-1,i=t,r=this._stack.fallThrough,this._stack.paused=!1),!r&&i===!1){for(;s>=0&&(i=
this._active[s].unhook(e),i!==!0);s--)if(i instanceof Promise)return this._stack.paused=!0,this._stack.loopPosition=s,this._stack.fallThrough=!1,i;s--}for(;s>=0;s--)
if(i=this._active[s].unhook(!1),i instanceof Promise)return this._stack.paused=!0,this._stack.loopPosition=s,this._stack.fallThrough=!0,i}this._active=pt,this._ident=
0}},bt=new xn;bt.addParam(0);var ur=class{constructor(e){this._handler=e,this._data="",this._params=bt,this._hitLimit=!1}hook(e){this._params=e.length>1||e.params[0]?
e.clone():bt,this._data="",this._hitLimit=!1}put(e,t,i){this._hitLimit||(this._data+=ri(e,t,i),this._data.length>1e7&&(this._data="",this._hitLimit=!0))}unhook(e){
let t=!1;if(this._hitLimit)t=!1;else if(e&&(t=this._handler(this._data,this._params),t instanceof Promise))return t.then(i=>(this._params=bt,this._data="",this.
_hitLimit=!1,i));return this._params=bt,this._data="",this._hitLimit=!1,t}},Ha=class{constructor(e){this.table=new Uint8Array(e)}setDefault(e,t){this.table.fill(
e<<4|t)}add(e,t,i,s){this.table[t<<8|e]=i<<4|s}addMany(e,t,i,s){for(let r=0;r<e.length;r++)this.table[t<<8|e[r]]=i<<4|s}},Se=160,Wa=(function(){let e=new Ha(4095),
t=Array.apply(null,Array(256)).map((a,l)=>l),i=(a,l)=>t.slice(a,l),s=i(32,127),r=i(0,24);r.push(25),r.push.apply(r,i(28,32));let n=i(0,14),o;e.setDefault(1,0),e.
addMany(s,0,2,0);for(o in n)e.addMany([24,26,153,154],o,3,0),e.addMany(i(128,144),o,3,0),e.addMany(i(144,152),o,3,0),e.add(156,o,0,0),e.add(27,o,11,1),e.add(157,
o,4,8),e.addMany([152,158,159],o,0,7),e.add(155,o,11,3),e.add(144,o,11,9);return e.addMany(r,0,3,0),e.addMany(r,1,3,1),e.add(127,1,0,1),e.addMany(r,8,0,8),e.addMany(
r,3,3,3),e.add(127,3,0,3),e.addMany(r,4,3,4),e.add(127,4,0,4),e.addMany(r,6,3,6),e.addMany(r,5,3,5),e.add(127,5,0,5),e.addMany(r,2,3,2),e.add(127,2,0,2),e.add(93,
1,4,8),e.addMany(s,8,5,8),e.add(127,8,5,8),e.addMany([156,27,24,26,7],8,6,0),e.addMany(i(28,32),8,0,8),e.addMany([88,94,95],1,0,7),e.addMany(s,7,0,7),e.addMany(
r,7,0,7),e.add(156,7,0,0),e.add(127,7,0,7),e.add(91,1,11,3),e.addMany(i(64,127),3,7,0),e.addMany(i(48,60),3,8,4),e.addMany([60,61,62,63],3,9,4),e.addMany(i(48,60),
4,8,4),e.addMany(i(64,127),4,7,0),e.addMany([60,61,62,63],4,0,6),e.addMany(i(32,64),6,0,6),e.add(127,6,0,6),e.addMany(i(64,127),6,0,0),e.addMany(i(32,48),3,9,5),
e.addMany(i(32,48),5,9,5),e.addMany(i(48,64),5,0,6),e.addMany(i(64,127),5,7,0),e.addMany(i(32,48),4,9,5),e.addMany(i(32,48),1,9,2),e.addMany(i(32,48),2,9,2),e.addMany(
i(48,127),2,10,0),e.addMany(i(48,80),1,10,0),e.addMany(i(81,88),1,10,0),e.addMany([89,90,92],1,10,0),e.addMany(i(96,127),1,10,0),e.add(80,1,11,9),e.addMany(r,9,
0,9),e.add(127,9,0,9),e.addMany(i(28,32),9,0,9),e.addMany(i(32,48),9,9,12),e.addMany(i(48,60),9,8,10),e.addMany([60,61,62,63],9,9,10),e.addMany(r,11,0,11),e.addMany(
i(32,128),11,0,11),e.addMany(i(28,32),11,0,11),e.addMany(r,10,0,10),e.add(127,10,0,10),e.addMany(i(28,32),10,0,10),e.addMany(i(48,60),10,8,10),e.addMany([60,61,
62,63],10,0,11),e.addMany(i(32,48),10,9,12),e.addMany(r,12,0,12),e.add(127,12,0,12),e.addMany(i(28,32),12,0,12),e.addMany(i(32,48),12,9,12),e.addMany(i(48,64),12,
0,11),e.addMany(i(64,127),12,12,13),e.addMany(i(64,127),10,12,13),e.addMany(i(64,127),9,12,13),e.addMany(r,13,13,13),e.addMany(s,13,13,13),e.add(127,13,0,13),e.
addMany([27,156,24,26],13,14,0),e.add(Se,0,2,0),e.add(Se,8,5,8),e.add(Se,6,0,6),e.add(Se,11,0,11),e.add(Se,13,13,13),e})(),za=class extends R{constructor(e=Wa){
super(),this._transitions=e,this._parseStack={state:0,handlers:[],handlerPos:0,transition:0,chunkPos:0},this.initialState=0,this.currentState=this.initialState,
this._params=new xn,this._params.addParam(0),this._collect=0,this.precedingJoinState=0,this._printHandlerFb=(t,i,s)=>{},this._executeHandlerFb=t=>{},this._csiHandlerFb=
(t,i)=>{},this._escHandlerFb=t=>{},this._errorHandlerFb=t=>t,this._printHandler=this._printHandlerFb,this._executeHandlers=Object.create(null),this._csiHandlers=
Object.create(null),this._escHandlers=Object.create(null),this._register(W(()=>{this._csiHandlers=Object.create(null),this._executeHandlers=Object.create(null),
this._escHandlers=Object.create(null)})),this._oscParser=this._register(new Ia),this._dcsParser=this._register(new Na),this._errorHandler=this._errorHandlerFb,this.
registerEscHandler({final:"\\"},()=>!0)}_identifier(e,t=[64,126]){let i=0;if(e.prefix){if(e.prefix.length>1)throw new Error("only one byte as prefix supported");
if(i=e.prefix.charCodeAt(0),i&&60>i||i>63)throw new Error("prefix must be in range 0x3c .. 0x3f")}if(e.intermediates){if(e.intermediates.length>2)throw new Error(
"only two bytes as intermediates are supported");for(let r=0;r<e.intermediates.length;++r){let n=e.intermediates.charCodeAt(r);if(32>n||n>47)throw new Error("in\
termediate must be in range 0x20 .. 0x2f");i<<=8,i|=n}}if(e.final.length!==1)throw new Error("final must be a single byte");let s=e.final.charCodeAt(0);if(t[0]>
s||s>t[1])throw new Error(`final must be in range ${t[0]} .. ${t[1]}`);return i<<=8,i|=s,i}identToString(e){let t=[];for(;e;)t.push(String.fromCharCode(e&255)),
e>>=8;return t.reverse().join("")}setPrintHandler(e){this._printHandler=e}clearPrintHandler(){this._printHandler=this._printHandlerFb}registerEscHandler(e,t){let i=this.
_identifier(e,[48,126]);this._escHandlers[i]===void 0&&(this._escHandlers[i]=[]);let s=this._escHandlers[i];return s.push(t),{dispose:()=>{let r=s.indexOf(t);r!==
-1&&s.splice(r,1)}}}clearEscHandler(e){this._escHandlers[this._identifier(e,[48,126])]&&delete this._escHandlers[this._identifier(e,[48,126])]}setEscHandlerFallback(e){
this._escHandlerFb=e}setExecuteHandler(e,t){this._executeHandlers[e.charCodeAt(0)]=t}clearExecuteHandler(e){this._executeHandlers[e.charCodeAt(0)]&&delete this.
_executeHandlers[e.charCodeAt(0)]}setExecuteHandlerFallback(e){this._executeHandlerFb=e}registerCsiHandler(e,t){let i=this._identifier(e);this._csiHandlers[i]===
void 0&&(this._csiHandlers[i]=[]);let s=this._csiHandlers[i];return s.push(t),{dispose:()=>{let r=s.indexOf(t);r!==-1&&s.splice(r,1)}}}clearCsiHandler(e){this._csiHandlers[this.
_identifier(e)]&&delete this._csiHandlers[this._identifier(e)]}setCsiHandlerFallback(e){this._csiHandlerFb=e}registerDcsHandler(e,t){return this._dcsParser.registerHandler(
this._identifier(e),t)}clearDcsHandler(e){this._dcsParser.clearHandler(this._identifier(e))}setDcsHandlerFallback(e){this._dcsParser.setHandlerFallback(e)}registerOscHandler(e,t){
return this._oscParser.registerHandler(e,t)}clearOscHandler(e){this._oscParser.clearHandler(e)}setOscHandlerFallback(e){this._oscParser.setHandlerFallback(e)}setErrorHandler(e){
this._errorHandler=e}clearErrorHandler(){this._errorHandler=this._errorHandlerFb}reset(){this.currentState=this.initialState,this._oscParser.reset(),this._dcsParser.
reset(),this._params.reset(),this._params.addParam(0),this._collect=0,this.precedingJoinState=0,this._parseStack.state!==0&&(this._parseStack.state=2,this._parseStack.
handlers=[])}_preserveStack(e,t,i,s,r){this._parseStack.state=e,this._parseStack.handlers=t,this._parseStack.handlerPos=i,this._parseStack.transition=s,this._parseStack.
chunkPos=r}parse(e,t,i){let s=0,r=0,n=0,o;if(this._parseStack.state)if(this._parseStack.state===2)this._parseStack.state=0,n=this._parseStack.chunkPos+1;else{if(i===
void 0||this._parseStack.state===1)throw this._parseStack.state=1,new Error("improper continuation due to previous async handler, giving up parsing");let a=this.
_parseStack.handlers,l=this._parseStack.handlerPos-1;switch(this._parseStack.state){case 3:if(i===!1&&l>-1){for(;l>=0&&(o=a[l](this._params),o!==!0);l--)if(o instanceof
Promise)return this._parseStack.handlerPos=l,o}this._parseStack.handlers=[];break;case 4:if(i===!1&&l>-1){for(;l>=0&&(o=a[l](),o!==!0);l--)if(o instanceof Promise)
return this._parseStack.handlerPos=l,o}this._parseStack.handlers=[];break;case 6:if(s=e[this._parseStack.chunkPos],o=this._dcsParser.unhook(s!==24&&s!==26,i),o)
return o;s===27&&(this._parseStack.transition|=1),this._params.reset(),this._params.addParam(0),this._collect=0;break;case 5:if(s=e[this._parseStack.chunkPos],o=
this._oscParser.end(s!==24&&s!==26,i),o)return o;s===27&&(this._parseStack.transition|=1),this._params.reset(),this._params.addParam(0),this._collect=0;break}this.
_parseStack.state=0,n=this._parseStack.chunkPos+1,this.precedingJoinState=0,this.currentState=this._parseStack.transition&15}for(let a=n;a<t;++a){switch(s=e[a],
r=this._transitions.table[this.currentState<<8|(s<160?s:Se)],r>>4){case 2:for(let u=a+1;;++u){if(u>=t||(s=e[u])<32||s>126&&s<Se){this._printHandler(e,a,u),a=u-1;
break}if(++u>=t||(s=e[u])<32||s>126&&s<Se){this._printHandler(e,a,u),a=u-1;break}if(++u>=t||(s=e[u])<32||s>126&&s<Se){this._printHandler(e,a,u),a=u-1;break}if(++u>=
t||(s=e[u])<32||s>126&&s<Se){this._printHandler(e,a,u),a=u-1;break}}break;case 3:this._executeHandlers[s]?this._executeHandlers[s]():this._executeHandlerFb(s),this.
precedingJoinState=0;break;case 0:break;case 1:if(this._errorHandler({position:a,code:s,currentState:this.currentState,collect:this._collect,params:this._params,
abort:!1}).abort)return;break;case 7:let l=this._csiHandlers[this._collect<<8|s],h=l?l.length-1:-1;for(;h>=0&&(o=l[h](this._params),o!==!0);h--)if(o instanceof Promise)
return this._preserveStack(3,l,h,r,a),o;h<0&&this._csiHandlerFb(this._collect<<8|s,this._params),this.precedingJoinState=0;break;case 8:do switch(s){case 59:this.
_params.addParam(0);break;case 58:this._params.addSubParam(-1);break;default:this._params.addDigit(s-48)}while(++a<t&&(s=e[a])>47&&s<60);a--;break;case 9:this._collect<<=
8,this._collect|=s;break;case 10:let d=this._escHandlers[this._collect<<8|s],c=d?d.length-1:-1;for(;c>=0&&(o=d[c](),o!==!0);c--)if(o instanceof Promise)return this.
_preserveStack(4,d,c,r,a),o;c<0&&this._escHandlerFb(this._collect<<8|s),this.precedingJoinState=0;break;case 11:this._params.reset(),this._params.addParam(0),this.
_collect=0;break;case 12:this._dcsParser.hook(this._collect<<8|s,this._params);break;case 13:for(let u=a+1;;++u)if(u>=t||(s=e[u])===24||s===26||s===27||s>127&&s<
Se){this._dcsParser.put(e,a,u),a=u-1;break}break;case 14:if(o=this._dcsParser.unhook(s!==24&&s!==26),o)return this._preserveStack(6,[],0,r,a),o;s===27&&(r|=1),this.
_params.reset(),this._params.addParam(0),this._collect=0,this.precedingJoinState=0;break;case 4:this._oscParser.start();break;case 5:for(let u=a+1;;u++)if(u>=t||
(s=e[u])<32||s>127&&s<Se){this._oscParser.put(e,a,u),a=u-1;break}break;case 6:if(o=this._oscParser.end(s!==24&&s!==26),o)return this._preserveStack(5,[],0,r,a),
o;s===27&&(r|=1),this._params.reset(),this._params.addParam(0),this._collect=0,this.precedingJoinState=0;break}this.currentState=r&15}}},Fa=/^([\da-f])\/([\da-f])\/([\da-f])$|^([\da-f]{2})\/([\da-f]{2})\/([\da-f]{2})$|^([\da-f]{3})\/([\da-f]{3})\/([\da-f]{3})$|^([\da-f]{4})\/([\da-f]{4})\/([\da-f]{4})$/,
$a=/^[\da-f]+$/;function fr(e){if(!e)return;let t=e.toLowerCase();if(t.indexOf("rgb:")===0){t=t.slice(4);let i=Fa.exec(t);if(i){let s=i[1]?15:i[4]?255:i[7]?4095:
65535;return[Math.round(parseInt(i[1]||i[4]||i[7]||i[10],16)/s*255),Math.round(parseInt(i[2]||i[5]||i[8]||i[11],16)/s*255),Math.round(parseInt(i[3]||i[6]||i[9]||
i[12],16)/s*255)]}}else if(t.indexOf("#")===0&&(t=t.slice(1),$a.exec(t)&&[3,6,9,12].includes(t.length))){let i=t.length/3,s=[0,0,0];for(let r=0;r<3;++r){let n=parseInt(
t.slice(i*r,i*r+i),16);s[r]=i===1?n<<4:i===2?n:i===3?n>>4:n>>8}return s}}function Ei(e,t){let i=e.toString(16),s=i.length<2?"0"+i:i;switch(t){case 4:return i[0];case 8:
return s;case 12:return(s+s).slice(0,3);default:return s+s}}function Ka(e,t=16){let[i,s,r]=e;return`rgb:${Ei(i,t)}/${Ei(s,t)}/${Ei(r,t)}`}var Ua={"(":0,")":1,"*":2,
"+":3,"-":1,".":2},Ke=131072,pr=10;function gr(e,t){if(e>24)return t.setWinLines||!1;switch(e){case 1:return!!t.restoreWin;case 2:return!!t.minimizeWin;case 3:return!!t.
setWinPosition;case 4:return!!t.setWinSizePixels;case 5:return!!t.raiseWin;case 6:return!!t.lowerWin;case 7:return!!t.refreshWin;case 8:return!!t.setWinSizeChars;case 9:
return!!t.maximizeWin;case 10:return!!t.fullscreenWin;case 11:return!!t.getWinState;case 13:return!!t.getWinPosition;case 14:return!!t.getWinSizePixels;case 15:
return!!t.getScreenSizePixels;case 16:return!!t.getCellSizePixels;case 18:return!!t.getWinSizeChars;case 19:return!!t.getScreenSizeChars;case 20:return!!t.getIconTitle;case 21:
return!!t.getWinTitle;case 22:return!!t.pushTitle;case 23:return!!t.popTitle;case 24:return!!t.setWinLines}return!1}var vr=5e3,mr=0,qa=class extends R{constructor(e,t,i,s,r,n,o,a,l=new za){
super(),this._bufferService=e,this._charsetService=t,this._coreService=i,this._logService=s,this._optionsService=r,this._oscLinkService=n,this._coreMouseService=
o,this._unicodeService=a,this._parser=l,this._parseBuffer=new Uint32Array(4096),this._stringDecoder=new On,this._utf8Decoder=new In,this._windowTitle="",this._iconName=
"",this._windowTitleStack=[],this._iconNameStack=[],this._curAttrData=Y.clone(),this._eraseAttrDataInternal=Y.clone(),this._onRequestBell=this._register(new v),
this.onRequestBell=this._onRequestBell.event,this._onRequestRefreshRows=this._register(new v),this.onRequestRefreshRows=this._onRequestRefreshRows.event,this._onRequestReset=
this._register(new v),this.onRequestReset=this._onRequestReset.event,this._onRequestSendFocus=this._register(new v),this.onRequestSendFocus=this._onRequestSendFocus.
event,this._onRequestSyncScrollBar=this._register(new v),this.onRequestSyncScrollBar=this._onRequestSyncScrollBar.event,this._onRequestWindowsOptionsReport=this.
_register(new v),this.onRequestWindowsOptionsReport=this._onRequestWindowsOptionsReport.event,this._onA11yChar=this._register(new v),this.onA11yChar=this._onA11yChar.
event,this._onA11yTab=this._register(new v),this.onA11yTab=this._onA11yTab.event,this._onCursorMove=this._register(new v),this.onCursorMove=this._onCursorMove.event,
this._onLineFeed=this._register(new v),this.onLineFeed=this._onLineFeed.event,this._onScroll=this._register(new v),this.onScroll=this._onScroll.event,this._onTitleChange=
this._register(new v),this.onTitleChange=this._onTitleChange.event,this._onColor=this._register(new v),this.onColor=this._onColor.event,this._parseStack={paused:!1,
cursorStartX:0,cursorStartY:0,decodedLength:0,position:0},this._specialColors=[256,257,258],this._register(this._parser),this._dirtyRowTracker=new ls(this._bufferService),
this._activeBuffer=this._bufferService.buffer,this._register(this._bufferService.buffers.onBufferActivate(h=>this._activeBuffer=h.activeBuffer)),this._parser.setCsiHandlerFallback(
(h,d)=>{this._logService.debug("Unknown CSI code: ",{identifier:this._parser.identToString(h),params:d.toArray()})}),this._parser.setEscHandlerFallback(h=>{this.
_logService.debug("Unknown ESC code: ",{identifier:this._parser.identToString(h)})}),this._parser.setExecuteHandlerFallback(h=>{this._logService.debug("Unknown \
EXECUTE code: ",{code:h})}),this._parser.setOscHandlerFallback((h,d,c)=>{this._logService.debug("Unknown OSC code: ",{identifier:h,action:d,data:c})}),this._parser.
setDcsHandlerFallback((h,d,c)=>{d==="HOOK"&&(c=c.toArray()),this._logService.debug("Unknown DCS code: ",{identifier:this._parser.identToString(h),action:d,payload:c})}),
this._parser.setPrintHandler((h,d,c)=>this.print(h,d,c)),this._parser.registerCsiHandler({final:"@"},h=>this.insertChars(h)),this._parser.registerCsiHandler({intermediates:"\
 ",final:"@"},h=>this.scrollLeft(h)),this._parser.registerCsiHandler({final:"A"},h=>this.cursorUp(h)),this._parser.registerCsiHandler({intermediates:" ",final:"\
A"},h=>this.scrollRight(h)),this._parser.registerCsiHandler({final:"B"},h=>this.cursorDown(h)),this._parser.registerCsiHandler({final:"C"},h=>this.cursorForward(
h)),this._parser.registerCsiHandler({final:"D"},h=>this.cursorBackward(h)),this._parser.registerCsiHandler({final:"E"},h=>this.cursorNextLine(h)),this._parser.registerCsiHandler(
{final:"F"},h=>this.cursorPrecedingLine(h)),this._parser.registerCsiHandler({final:"G"},h=>this.cursorCharAbsolute(h)),this._parser.registerCsiHandler({final:"H"},
h=>this.cursorPosition(h)),this._parser.registerCsiHandler({final:"I"},h=>this.cursorForwardTab(h)),this._parser.registerCsiHandler({final:"J"},h=>this.eraseInDisplay(
h,!1)),this._parser.registerCsiHandler({prefix:"?",final:"J"},h=>this.eraseInDisplay(h,!0)),this._parser.registerCsiHandler({final:"K"},h=>this.eraseInLine(h,!1)),
this._parser.registerCsiHandler({prefix:"?",final:"K"},h=>this.eraseInLine(h,!0)),this._parser.registerCsiHandler({final:"L"},h=>this.insertLines(h)),this._parser.
registerCsiHandler({final:"M"},h=>this.deleteLines(h)),this._parser.registerCsiHandler({final:"P"},h=>this.deleteChars(h)),this._parser.registerCsiHandler({final:"\
S"},h=>this.scrollUp(h)),this._parser.registerCsiHandler({final:"T"},h=>this.scrollDown(h)),this._parser.registerCsiHandler({final:"X"},h=>this.eraseChars(h)),this.
_parser.registerCsiHandler({final:"Z"},h=>this.cursorBackwardTab(h)),this._parser.registerCsiHandler({final:"`"},h=>this.charPosAbsolute(h)),this._parser.registerCsiHandler(
{final:"a"},h=>this.hPositionRelative(h)),this._parser.registerCsiHandler({final:"b"},h=>this.repeatPrecedingCharacter(h)),this._parser.registerCsiHandler({final:"\
c"},h=>this.sendDeviceAttributesPrimary(h)),this._parser.registerCsiHandler({prefix:">",final:"c"},h=>this.sendDeviceAttributesSecondary(h)),this._parser.registerCsiHandler(
{final:"d"},h=>this.linePosAbsolute(h)),this._parser.registerCsiHandler({final:"e"},h=>this.vPositionRelative(h)),this._parser.registerCsiHandler({final:"f"},h=>this.
hVPosition(h)),this._parser.registerCsiHandler({final:"g"},h=>this.tabClear(h)),this._parser.registerCsiHandler({final:"h"},h=>this.setMode(h)),this._parser.registerCsiHandler(
{prefix:"?",final:"h"},h=>this.setModePrivate(h)),this._parser.registerCsiHandler({final:"l"},h=>this.resetMode(h)),this._parser.registerCsiHandler({prefix:"?",
final:"l"},h=>this.resetModePrivate(h)),this._parser.registerCsiHandler({final:"m"},h=>this.charAttributes(h)),this._parser.registerCsiHandler({final:"n"},h=>this.
deviceStatus(h)),this._parser.registerCsiHandler({prefix:"?",final:"n"},h=>this.deviceStatusPrivate(h)),this._parser.registerCsiHandler({intermediates:"!",final:"\
p"},h=>this.softReset(h)),this._parser.registerCsiHandler({intermediates:" ",final:"q"},h=>this.setCursorStyle(h)),this._parser.registerCsiHandler({final:"r"},h=>this.
setScrollRegion(h)),this._parser.registerCsiHandler({final:"s"},h=>this.saveCursor(h)),this._parser.registerCsiHandler({final:"t"},h=>this.windowOptions(h)),this.
_parser.registerCsiHandler({final:"u"},h=>this.restoreCursor(h)),this._parser.registerCsiHandler({intermediates:"'",final:"}"},h=>this.insertColumns(h)),this._parser.
registerCsiHandler({intermediates:"'",final:"~"},h=>this.deleteColumns(h)),this._parser.registerCsiHandler({intermediates:'"',final:"q"},h=>this.selectProtected(
h)),this._parser.registerCsiHandler({intermediates:"$",final:"p"},h=>this.requestMode(h,!0)),this._parser.registerCsiHandler({prefix:"?",intermediates:"$",final:"\
p"},h=>this.requestMode(h,!1)),this._parser.setExecuteHandler(g.BEL,()=>this.bell()),this._parser.setExecuteHandler(g.LF,()=>this.lineFeed()),this._parser.setExecuteHandler(
g.VT,()=>this.lineFeed()),this._parser.setExecuteHandler(g.FF,()=>this.lineFeed()),this._parser.setExecuteHandler(g.CR,()=>this.carriageReturn()),this._parser.setExecuteHandler(
g.BS,()=>this.backspace()),this._parser.setExecuteHandler(g.HT,()=>this.tab()),this._parser.setExecuteHandler(g.SO,()=>this.shiftOut()),this._parser.setExecuteHandler(
g.SI,()=>this.shiftIn()),this._parser.setExecuteHandler(Vt.IND,()=>this.index()),this._parser.setExecuteHandler(Vt.NEL,()=>this.nextLine()),this._parser.setExecuteHandler(
Vt.HTS,()=>this.tabSet()),this._parser.registerOscHandler(0,new fe(h=>(this.setTitle(h),this.setIconName(h),!0))),this._parser.registerOscHandler(1,new fe(h=>this.
setIconName(h))),this._parser.registerOscHandler(2,new fe(h=>this.setTitle(h))),this._parser.registerOscHandler(4,new fe(h=>this.setOrReportIndexedColor(h))),this.
_parser.registerOscHandler(8,new fe(h=>this.setHyperlink(h))),this._parser.registerOscHandler(10,new fe(h=>this.setOrReportFgColor(h))),this._parser.registerOscHandler(
11,new fe(h=>this.setOrReportBgColor(h))),this._parser.registerOscHandler(12,new fe(h=>this.setOrReportCursorColor(h))),this._parser.registerOscHandler(104,new fe(
h=>this.restoreIndexedColor(h))),this._parser.registerOscHandler(110,new fe(h=>this.restoreFgColor(h))),this._parser.registerOscHandler(111,new fe(h=>this.restoreBgColor(
h))),this._parser.registerOscHandler(112,new fe(h=>this.restoreCursorColor(h))),this._parser.registerEscHandler({final:"7"},()=>this.saveCursor()),this._parser.
registerEscHandler({final:"8"},()=>this.restoreCursor()),this._parser.registerEscHandler({final:"D"},()=>this.index()),this._parser.registerEscHandler({final:"E"},
()=>this.nextLine()),this._parser.registerEscHandler({final:"H"},()=>this.tabSet()),this._parser.registerEscHandler({final:"M"},()=>this.reverseIndex()),this._parser.
registerEscHandler({final:"="},()=>this.keypadApplicationMode()),this._parser.registerEscHandler({final:">"},()=>this.keypadNumericMode()),this._parser.registerEscHandler(
{final:"c"},()=>this.fullReset()),this._parser.registerEscHandler({final:"n"},()=>this.setgLevel(2)),this._parser.registerEscHandler({final:"o"},()=>this.setgLevel(
3)),this._parser.registerEscHandler({final:"|"},()=>this.setgLevel(3)),this._parser.registerEscHandler({final:"}"},()=>this.setgLevel(2)),this._parser.registerEscHandler(
{final:"~"},()=>this.setgLevel(1)),this._parser.registerEscHandler({intermediates:"%",final:"@"},()=>this.selectDefaultCharset()),this._parser.registerEscHandler(
{intermediates:"%",final:"G"},()=>this.selectDefaultCharset());for(let h in J)this._parser.registerEscHandler({intermediates:"(",final:h},()=>this.selectCharset(
"("+h)),this._parser.registerEscHandler({intermediates:")",final:h},()=>this.selectCharset(")"+h)),this._parser.registerEscHandler({intermediates:"*",final:h},()=>this.
selectCharset("*"+h)),this._parser.registerEscHandler({intermediates:"+",final:h},()=>this.selectCharset("+"+h)),this._parser.registerEscHandler({intermediates:"\
-",final:h},()=>this.selectCharset("-"+h)),this._parser.registerEscHandler({intermediates:".",final:h},()=>this.selectCharset("."+h)),this._parser.registerEscHandler(
{intermediates:"/",final:h},()=>this.selectCharset("/"+h));this._parser.registerEscHandler({intermediates:"#",final:"8"},()=>this.screenAlignmentPattern()),this.
_parser.setErrorHandler(h=>(this._logService.error("Parsing error: ",h),h)),this._parser.registerDcsHandler({intermediates:"$",final:"q"},new ur((h,d)=>this.requestStatusString(
h,d)))}getAttrData(){return this._curAttrData}_preserveStack(e,t,i,s){this._parseStack.paused=!0,this._parseStack.cursorStartX=e,this._parseStack.cursorStartY=t,
this._parseStack.decodedLength=i,this._parseStack.position=s}_logSlowResolvingAsync(e){this._logService.logLevel<=3&&Promise.race([e,new Promise((t,i)=>setTimeout(
()=>i("#SLOW_TIMEOUT"),vr))]).catch(t=>{if(t!=="#SLOW_TIMEOUT")throw t;console.warn(`async parser handler taking longer than ${vr} ms`)})}_getCurrentLinkId(){return this.
_curAttrData.extended.urlId}parse(e,t){let i,s=this._activeBuffer.x,r=this._activeBuffer.y,n=0,o=this._parseStack.paused;if(o){if(i=this._parser.parse(this._parseBuffer,
this._parseStack.decodedLength,t))return this._logSlowResolvingAsync(i),i;s=this._parseStack.cursorStartX,r=this._parseStack.cursorStartY,this._parseStack.paused=
!1,e.length>Ke&&(n=this._parseStack.position+Ke)}if(this._logService.logLevel<=1&&this._logService.debug(`parsing data ${typeof e=="string"?` "${e}"`:` "${Array.
prototype.map.call(e,h=>String.fromCharCode(h)).join("")}"`}`),this._logService.logLevel===0&&this._logService.trace("parsing data (codes)",typeof e=="string"?e.
split("").map(h=>h.charCodeAt(0)):e),this._parseBuffer.length<e.length&&this._parseBuffer.length<Ke&&(this._parseBuffer=new Uint32Array(Math.min(e.length,Ke))),
o||this._dirtyRowTracker.clearRange(),e.length>Ke)for(let h=n;h<e.length;h+=Ke){let d=h+Ke<e.length?h+Ke:e.length,c=typeof e=="string"?this._stringDecoder.decode(
e.substring(h,d),this._parseBuffer):this._utf8Decoder.decode(e.subarray(h,d),this._parseBuffer);if(i=this._parser.parse(this._parseBuffer,c))return this._preserveStack(
s,r,c,h),this._logSlowResolvingAsync(i),i}else if(!o){let h=typeof e=="string"?this._stringDecoder.decode(e,this._parseBuffer):this._utf8Decoder.decode(e,this._parseBuffer);
if(i=this._parser.parse(this._parseBuffer,h))return this._preserveStack(s,r,h,0),this._logSlowResolvingAsync(i),i}(this._activeBuffer.x!==s||this._activeBuffer.
y!==r)&&this._onCursorMove.fire();let a=this._dirtyRowTracker.end+(this._bufferService.buffer.ybase-this._bufferService.buffer.ydisp),l=this._dirtyRowTracker.start+
(this._bufferService.buffer.ybase-this._bufferService.buffer.ydisp);l<this._bufferService.rows&&this._onRequestRefreshRows.fire({start:Math.min(l,this._bufferService.
rows-1),end:Math.min(a,this._bufferService.rows-1)})}print(e,t,i){let s,r,n=this._charsetService.charset,o=this._optionsService.rawOptions.screenReaderMode,a=this.
_bufferService.cols,l=this._coreService.decPrivateModes.wraparound,h=this._coreService.modes.insertMode,d=this._curAttrData,c=this._activeBuffer.lines.get(this.
_activeBuffer.ybase+this._activeBuffer.y);this._dirtyRowTracker.markDirty(this._activeBuffer.y),this._activeBuffer.x&&i-t>0&&c.getWidth(this._activeBuffer.x-1)===
2&&c.setCellFromCodepoint(this._activeBuffer.x-1,0,1,d);let u=this._parser.precedingJoinState;for(let f=t;f<i;++f){if(s=e[f],s<127&&n){let D=n[String.fromCharCode(
s)];D&&(s=D.charCodeAt(0))}let _=this._unicodeService.charProperties(s,u);r=Je.extractWidth(_);let p=Je.extractShouldJoin(_),C=p?Je.extractWidth(u):0;if(u=_,o&&
this._onA11yChar.fire(Ue(s)),this._getCurrentLinkId()&&this._oscLinkService.addLineToLink(this._getCurrentLinkId(),this._activeBuffer.ybase+this._activeBuffer.y),
this._activeBuffer.x+r-C>a){if(l){let D=c,I=this._activeBuffer.x-C;for(this._activeBuffer.x=C,this._activeBuffer.y++,this._activeBuffer.y===this._activeBuffer.scrollBottom+
1?(this._activeBuffer.y--,this._bufferService.scroll(this._eraseAttrData(),!0)):(this._activeBuffer.y>=this._bufferService.rows&&(this._activeBuffer.y=this._bufferService.
rows-1),this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y).isWrapped=!0),c=this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.
y),C>0&&c instanceof St&&c.copyCellsFrom(D,I,0,C,!1);I<a;)D.setCellFromCodepoint(I++,0,1,d)}else if(this._activeBuffer.x=a-1,r===2)continue}if(p&&this._activeBuffer.
x){let D=c.getWidth(this._activeBuffer.x-1)?1:2;c.addCodepointToCell(this._activeBuffer.x-D,s,r);for(let I=r-C;--I>=0;)c.setCellFromCodepoint(this._activeBuffer.
x++,0,0,d);continue}if(h&&(c.insertCells(this._activeBuffer.x,r-C,this._activeBuffer.getNullCell(d)),c.getWidth(a-1)===2&&c.setCellFromCodepoint(a-1,0,1,d)),c.setCellFromCodepoint(
this._activeBuffer.x++,s,r,d),r>0)for(;--r;)c.setCellFromCodepoint(this._activeBuffer.x++,0,0,d)}this._parser.precedingJoinState=u,this._activeBuffer.x<a&&i-t>0&&
c.getWidth(this._activeBuffer.x)===0&&!c.hasContent(this._activeBuffer.x)&&c.setCellFromCodepoint(this._activeBuffer.x,0,1,d),this._dirtyRowTracker.markDirty(this.
_activeBuffer.y)}registerCsiHandler(e,t){return e.final==="t"&&!e.prefix&&!e.intermediates?this._parser.registerCsiHandler(e,i=>gr(i.params[0],this._optionsService.
rawOptions.windowOptions)?t(i):!0):this._parser.registerCsiHandler(e,t)}registerDcsHandler(e,t){return this._parser.registerDcsHandler(e,new ur(t))}registerEscHandler(e,t){
return this._parser.registerEscHandler(e,t)}registerOscHandler(e,t){return this._parser.registerOscHandler(e,new fe(t))}bell(){return this._onRequestBell.fire(),
!0}lineFeed(){return this._dirtyRowTracker.markDirty(this._activeBuffer.y),this._optionsService.rawOptions.convertEol&&(this._activeBuffer.x=0),this._activeBuffer.
y++,this._activeBuffer.y===this._activeBuffer.scrollBottom+1?(this._activeBuffer.y--,this._bufferService.scroll(this._eraseAttrData())):this._activeBuffer.y>=this.
_bufferService.rows?this._activeBuffer.y=this._bufferService.rows-1:this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y).isWrapped=!1,this.
_activeBuffer.x>=this._bufferService.cols&&this._activeBuffer.x--,this._dirtyRowTracker.markDirty(this._activeBuffer.y),this._onLineFeed.fire(),!0}carriageReturn(){
return this._activeBuffer.x=0,!0}backspace(){if(!this._coreService.decPrivateModes.reverseWraparound)return this._restrictCursor(),this._activeBuffer.x>0&&this.
_activeBuffer.x--,!0;if(this._restrictCursor(this._bufferService.cols),this._activeBuffer.x>0)this._activeBuffer.x--;else if(this._activeBuffer.x===0&&this._activeBuffer.
y>this._activeBuffer.scrollTop&&this._activeBuffer.y<=this._activeBuffer.scrollBottom&&this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.
y)?.isWrapped){this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y).isWrapped=!1,this._activeBuffer.y--,this._activeBuffer.x=this._bufferService.
cols-1;let e=this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y);e.hasWidth(this._activeBuffer.x)&&!e.hasContent(this._activeBuffer.x)&&
this._activeBuffer.x--}return this._restrictCursor(),!0}tab(){if(this._activeBuffer.x>=this._bufferService.cols)return!0;let e=this._activeBuffer.x;return this.
_activeBuffer.x=this._activeBuffer.nextStop(),this._optionsService.rawOptions.screenReaderMode&&this._onA11yTab.fire(this._activeBuffer.x-e),!0}shiftOut(){return this.
_charsetService.setgLevel(1),!0}shiftIn(){return this._charsetService.setgLevel(0),!0}_restrictCursor(e=this._bufferService.cols-1){this._activeBuffer.x=Math.min(
e,Math.max(0,this._activeBuffer.x)),this._activeBuffer.y=this._coreService.decPrivateModes.origin?Math.min(this._activeBuffer.scrollBottom,Math.max(this._activeBuffer.
scrollTop,this._activeBuffer.y)):Math.min(this._bufferService.rows-1,Math.max(0,this._activeBuffer.y)),this._dirtyRowTracker.markDirty(this._activeBuffer.y)}_setCursor(e,t){
this._dirtyRowTracker.markDirty(this._activeBuffer.y),this._coreService.decPrivateModes.origin?(this._activeBuffer.x=e,this._activeBuffer.y=this._activeBuffer.scrollTop+
t):(this._activeBuffer.x=e,this._activeBuffer.y=t),this._restrictCursor(),this._dirtyRowTracker.markDirty(this._activeBuffer.y)}_moveCursor(e,t){this._restrictCursor(),
this._setCursor(this._activeBuffer.x+e,this._activeBuffer.y+t)}cursorUp(e){let t=this._activeBuffer.y-this._activeBuffer.scrollTop;return t>=0?this._moveCursor(
0,-Math.min(t,e.params[0]||1)):this._moveCursor(0,-(e.params[0]||1)),!0}cursorDown(e){let t=this._activeBuffer.scrollBottom-this._activeBuffer.y;return t>=0?this.
_moveCursor(0,Math.min(t,e.params[0]||1)):this._moveCursor(0,e.params[0]||1),!0}cursorForward(e){return this._moveCursor(e.params[0]||1,0),!0}cursorBackward(e){
return this._moveCursor(-(e.params[0]||1),0),!0}cursorNextLine(e){return this.cursorDown(e),this._activeBuffer.x=0,!0}cursorPrecedingLine(e){return this.cursorUp(
e),this._activeBuffer.x=0,!0}cursorCharAbsolute(e){return this._setCursor((e.params[0]||1)-1,this._activeBuffer.y),!0}cursorPosition(e){return this._setCursor(e.
length>=2?(e.params[1]||1)-1:0,(e.params[0]||1)-1),!0}charPosAbsolute(e){return this._setCursor((e.params[0]||1)-1,this._activeBuffer.y),!0}hPositionRelative(e){
return this._moveCursor(e.params[0]||1,0),!0}linePosAbsolute(e){return this._setCursor(this._activeBuffer.x,(e.params[0]||1)-1),!0}vPositionRelative(e){return this.
_moveCursor(0,e.params[0]||1),!0}hVPosition(e){return this.cursorPosition(e),!0}tabClear(e){let t=e.params[0];return t===0?delete this._activeBuffer.tabs[this._activeBuffer.
x]:t===3&&(this._activeBuffer.tabs={}),!0}cursorForwardTab(e){if(this._activeBuffer.x>=this._bufferService.cols)return!0;let t=e.params[0]||1;for(;t--;)this._activeBuffer.
x=this._activeBuffer.nextStop();return!0}cursorBackwardTab(e){if(this._activeBuffer.x>=this._bufferService.cols)return!0;let t=e.params[0]||1;for(;t--;)this._activeBuffer.
x=this._activeBuffer.prevStop();return!0}selectProtected(e){let t=e.params[0];return t===1&&(this._curAttrData.bg|=536870912),(t===2||t===0)&&(this._curAttrData.
bg&=-536870913),!0}_eraseInBufferLine(e,t,i,s=!1,r=!1){let n=this._activeBuffer.lines.get(this._activeBuffer.ybase+e);n.replaceCells(t,i,this._activeBuffer.getNullCell(
this._eraseAttrData()),r),s&&(n.isWrapped=!1)}_resetBufferLine(e,t=!1){let i=this._activeBuffer.lines.get(this._activeBuffer.ybase+e);i&&(i.fill(this._activeBuffer.
getNullCell(this._eraseAttrData()),t),this._bufferService.buffer.clearMarkers(this._activeBuffer.ybase+e),i.isWrapped=!1)}eraseInDisplay(e,t=!1){this._restrictCursor(
this._bufferService.cols);let i;switch(e.params[0]){case 0:for(i=this._activeBuffer.y,this._dirtyRowTracker.markDirty(i),this._eraseInBufferLine(i++,this._activeBuffer.
x,this._bufferService.cols,this._activeBuffer.x===0,t);i<this._bufferService.rows;i++)this._resetBufferLine(i,t);this._dirtyRowTracker.markDirty(i);break;case 1:
for(i=this._activeBuffer.y,this._dirtyRowTracker.markDirty(i),this._eraseInBufferLine(i,0,this._activeBuffer.x+1,!0,t),this._activeBuffer.x+1>=this._bufferService.
cols&&(this._activeBuffer.lines.get(i+1).isWrapped=!1);i--;)this._resetBufferLine(i,t);this._dirtyRowTracker.markDirty(0);break;case 2:if(this._optionsService.rawOptions.
scrollOnEraseInDisplay){for(i=this._bufferService.rows,this._dirtyRowTracker.markRangeDirty(0,i-1);i--&&!this._activeBuffer.lines.get(this._activeBuffer.ybase+i)?.
getTrimmedLength(););for(;i>=0;i--)this._bufferService.scroll(this._eraseAttrData())}else{for(i=this._bufferService.rows,this._dirtyRowTracker.markDirty(i-1);i--;)
this._resetBufferLine(i,t);this._dirtyRowTracker.markDirty(0)}break;case 3:let s=this._activeBuffer.lines.length-this._bufferService.rows;s>0&&(this._activeBuffer.
lines.trimStart(s),this._activeBuffer.ybase=Math.max(this._activeBuffer.ybase-s,0),this._activeBuffer.ydisp=Math.max(this._activeBuffer.ydisp-s,0),this._onScroll.
fire(0));break}return!0}eraseInLine(e,t=!1){switch(this._restrictCursor(this._bufferService.cols),e.params[0]){case 0:this._eraseInBufferLine(this._activeBuffer.
y,this._activeBuffer.x,this._bufferService.cols,this._activeBuffer.x===0,t);break;case 1:this._eraseInBufferLine(this._activeBuffer.y,0,this._activeBuffer.x+1,!1,
t);break;case 2:this._eraseInBufferLine(this._activeBuffer.y,0,this._bufferService.cols,!0,t);break}return this._dirtyRowTracker.markDirty(this._activeBuffer.y),
!0}insertLines(e){this._restrictCursor();let t=e.params[0]||1;if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.y<this._activeBuffer.scrollTop)
return!0;let i=this._activeBuffer.ybase+this._activeBuffer.y,s=this._bufferService.rows-1-this._activeBuffer.scrollBottom,r=this._bufferService.rows-1+this._activeBuffer.
ybase-s+1;for(;t--;)this._activeBuffer.lines.splice(r-1,1),this._activeBuffer.lines.splice(i,0,this._activeBuffer.getBlankLine(this._eraseAttrData()));return this.
_dirtyRowTracker.markRangeDirty(this._activeBuffer.y,this._activeBuffer.scrollBottom),this._activeBuffer.x=0,!0}deleteLines(e){this._restrictCursor();let t=e.params[0]||
1;if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.y<this._activeBuffer.scrollTop)return!0;let i=this._activeBuffer.ybase+this._activeBuffer.
y,s;for(s=this._bufferService.rows-1-this._activeBuffer.scrollBottom,s=this._bufferService.rows-1+this._activeBuffer.ybase-s;t--;)this._activeBuffer.lines.splice(
i,1),this._activeBuffer.lines.splice(s,0,this._activeBuffer.getBlankLine(this._eraseAttrData()));return this._dirtyRowTracker.markRangeDirty(this._activeBuffer.
y,this._activeBuffer.scrollBottom),this._activeBuffer.x=0,!0}insertChars(e){this._restrictCursor();let t=this._activeBuffer.lines.get(this._activeBuffer.ybase+this.
_activeBuffer.y);return t&&(t.insertCells(this._activeBuffer.x,e.params[0]||1,this._activeBuffer.getNullCell(this._eraseAttrData())),this._dirtyRowTracker.markDirty(
this._activeBuffer.y)),!0}deleteChars(e){this._restrictCursor();let t=this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y);return t&&(t.deleteCells(
this._activeBuffer.x,e.params[0]||1,this._activeBuffer.getNullCell(this._eraseAttrData())),this._dirtyRowTracker.markDirty(this._activeBuffer.y)),!0}scrollUp(e){
let t=e.params[0]||1;for(;t--;)this._activeBuffer.lines.splice(this._activeBuffer.ybase+this._activeBuffer.scrollTop,1),this._activeBuffer.lines.splice(this._activeBuffer.
ybase+this._activeBuffer.scrollBottom,0,this._activeBuffer.getBlankLine(this._eraseAttrData()));return this._dirtyRowTracker.markRangeDirty(this._activeBuffer.scrollTop,
this._activeBuffer.scrollBottom),!0}scrollDown(e){let t=e.params[0]||1;for(;t--;)this._activeBuffer.lines.splice(this._activeBuffer.ybase+this._activeBuffer.scrollBottom,
1),this._activeBuffer.lines.splice(this._activeBuffer.ybase+this._activeBuffer.scrollTop,0,this._activeBuffer.getBlankLine(Y));return this._dirtyRowTracker.markRangeDirty(
this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom),!0}scrollLeft(e){if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.y<this.
_activeBuffer.scrollTop)return!0;let t=e.params[0]||1;for(let i=this._activeBuffer.scrollTop;i<=this._activeBuffer.scrollBottom;++i){let s=this._activeBuffer.lines.
get(this._activeBuffer.ybase+i);s.deleteCells(0,t,this._activeBuffer.getNullCell(this._eraseAttrData())),s.isWrapped=!1}return this._dirtyRowTracker.markRangeDirty(
this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom),!0}scrollRight(e){if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.y<this.
_activeBuffer.scrollTop)return!0;let t=e.params[0]||1;for(let i=this._activeBuffer.scrollTop;i<=this._activeBuffer.scrollBottom;++i){let s=this._activeBuffer.lines.
get(this._activeBuffer.ybase+i);s.insertCells(0,t,this._activeBuffer.getNullCell(this._eraseAttrData())),s.isWrapped=!1}return this._dirtyRowTracker.markRangeDirty(
this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom),!0}insertColumns(e){if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.y<
this._activeBuffer.scrollTop)return!0;let t=e.params[0]||1;for(let i=this._activeBuffer.scrollTop;i<=this._activeBuffer.scrollBottom;++i){let s=this._activeBuffer.
lines.get(this._activeBuffer.ybase+i);s.insertCells(this._activeBuffer.x,t,this._activeBuffer.getNullCell(this._eraseAttrData())),s.isWrapped=!1}return this._dirtyRowTracker.
markRangeDirty(this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom),!0}deleteColumns(e){if(this._activeBuffer.y>this._activeBuffer.scrollBottom||this._activeBuffer.
y<this._activeBuffer.scrollTop)return!0;let t=e.params[0]||1;for(let i=this._activeBuffer.scrollTop;i<=this._activeBuffer.scrollBottom;++i){let s=this._activeBuffer.
lines.get(this._activeBuffer.ybase+i);s.deleteCells(this._activeBuffer.x,t,this._activeBuffer.getNullCell(this._eraseAttrData())),s.isWrapped=!1}return this._dirtyRowTracker.
markRangeDirty(this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom),!0}eraseChars(e){this._restrictCursor();let t=this._activeBuffer.lines.get(this._activeBuffer.
ybase+this._activeBuffer.y);return t&&(t.replaceCells(this._activeBuffer.x,this._activeBuffer.x+(e.params[0]||1),this._activeBuffer.getNullCell(this._eraseAttrData())),
this._dirtyRowTracker.markDirty(this._activeBuffer.y)),!0}repeatPrecedingCharacter(e){let t=this._parser.precedingJoinState;if(!t)return!0;let i=e.params[0]||1,
s=Je.extractWidth(t),r=this._activeBuffer.x-s,n=this._activeBuffer.lines.get(this._activeBuffer.ybase+this._activeBuffer.y).getString(r),o=new Uint32Array(n.length*
i),a=0;for(let h=0;h<n.length;){let d=n.codePointAt(h)||0;o[a++]=d,h+=d>65535?2:1}let l=a;for(let h=1;h<i;++h)o.copyWithin(l,0,a),l+=a;return this.print(o,0,l),
!0}sendDeviceAttributesPrimary(e){return e.params[0]>0||(this._is("xterm")||this._is("rxvt-unicode")||this._is("screen")?this._coreService.triggerDataEvent(g.ESC+
"[?1;2c"):this._is("linux")&&this._coreService.triggerDataEvent(g.ESC+"[?6c")),!0}sendDeviceAttributesSecondary(e){return e.params[0]>0||(this._is("xterm")?this.
_coreService.triggerDataEvent(g.ESC+"[>0;276;0c"):this._is("rxvt-unicode")?this._coreService.triggerDataEvent(g.ESC+"[>85;95;0c"):this._is("linux")?this._coreService.
triggerDataEvent(e.params[0]+"c"):this._is("screen")&&this._coreService.triggerDataEvent(g.ESC+"[>83;40003;0c")),!0}_is(e){return(this._optionsService.rawOptions.
termName+"").indexOf(e)===0}setMode(e){for(let t=0;t<e.length;t++)switch(e.params[t]){case 4:this._coreService.modes.insertMode=!0;break;case 20:this._optionsService.
options.convertEol=!0;break}return!0}setModePrivate(e){for(let t=0;t<e.length;t++)switch(e.params[t]){case 1:this._coreService.decPrivateModes.applicationCursorKeys=
!0;break;case 2:this._charsetService.setgCharset(0,Ge),this._charsetService.setgCharset(1,Ge),this._charsetService.setgCharset(2,Ge),this._charsetService.setgCharset(
3,Ge);break;case 3:this._optionsService.rawOptions.windowOptions.setWinLines&&(this._bufferService.resize(132,this._bufferService.rows),this._onRequestReset.fire());
break;case 6:this._coreService.decPrivateModes.origin=!0,this._setCursor(0,0);break;case 7:this._coreService.decPrivateModes.wraparound=!0;break;case 12:this._optionsService.
options.cursorBlink=!0;break;case 45:this._coreService.decPrivateModes.reverseWraparound=!0;break;case 66:this._logService.debug("Serial port requested applicat\
ion keypad."),this._coreService.decPrivateModes.applicationKeypad=!0,this._onRequestSyncScrollBar.fire();break;case 9:this._coreMouseService.activeProtocol="X10";
break;case 1e3:this._coreMouseService.activeProtocol="VT200";break;case 1002:this._coreMouseService.activeProtocol="DRAG";break;case 1003:this._coreMouseService.
activeProtocol="ANY";break;case 1004:this._coreService.decPrivateModes.sendFocus=!0,this._onRequestSendFocus.fire();break;case 1005:this._logService.debug("DECS\
ET 1005 not supported (see #2507)");break;case 1006:this._coreMouseService.activeEncoding="SGR";break;case 1015:this._logService.debug("DECSET 1015 not supporte\
d (see #2507)");break;case 1016:this._coreMouseService.activeEncoding="SGR_PIXELS";break;case 25:this._coreService.isCursorHidden=!1;break;case 1048:this.saveCursor();
break;case 1049:this.saveCursor();case 47:case 1047:this._bufferService.buffers.activateAltBuffer(this._eraseAttrData()),this._coreService.isCursorInitialized=!0,
this._onRequestRefreshRows.fire(void 0),this._onRequestSyncScrollBar.fire();break;case 2004:this._coreService.decPrivateModes.bracketedPasteMode=!0;break;case 2026:
this._coreService.decPrivateModes.synchronizedOutput=!0;break}return!0}resetMode(e){for(let t=0;t<e.length;t++)switch(e.params[t]){case 4:this._coreService.modes.
insertMode=!1;break;case 20:this._optionsService.options.convertEol=!1;break}return!0}resetModePrivate(e){for(let t=0;t<e.length;t++)switch(e.params[t]){case 1:
this._coreService.decPrivateModes.applicationCursorKeys=!1;break;case 3:this._optionsService.rawOptions.windowOptions.setWinLines&&(this._bufferService.resize(80,
this._bufferService.rows),this._onRequestReset.fire());break;case 6:this._coreService.decPrivateModes.origin=!1,this._setCursor(0,0);break;case 7:this._coreService.
decPrivateModes.wraparound=!1;break;case 12:this._optionsService.options.cursorBlink=!1;break;case 45:this._coreService.decPrivateModes.reverseWraparound=!1;break;case 66:
this._logService.debug("Switching back to normal keypad."),this._coreService.decPrivateModes.applicationKeypad=!1,this._onRequestSyncScrollBar.fire();break;case 9:case 1e3:case 1002:case 1003:
this._coreMouseService.activeProtocol="NONE";break;case 1004:this._coreService.decPrivateModes.sendFocus=!1;break;case 1005:this._logService.debug("DECRST 1005 \
not supported (see #2507)");break;case 1006:this._coreMouseService.activeEncoding="DEFAULT";break;case 1015:this._logService.debug("DECRST 1015 not supported (s\
ee #2507)");break;case 1016:this._coreMouseService.activeEncoding="DEFAULT";break;case 25:this._coreService.isCursorHidden=!0;break;case 1048:this.restoreCursor();
break;case 1049:case 47:case 1047:this._bufferService.buffers.activateNormalBuffer(),e.params[t]===1049&&this.restoreCursor(),this._coreService.isCursorInitialized=
!0,this._onRequestRefreshRows.fire(void 0),this._onRequestSyncScrollBar.fire();break;case 2004:this._coreService.decPrivateModes.bracketedPasteMode=!1;break;case 2026:
this._coreService.decPrivateModes.synchronizedOutput=!1,this._onRequestRefreshRows.fire(void 0);break}return!0}requestMode(e,t){let i;(p=>(p[p.NOT_RECOGNIZED=0]=
"NOT_RECOGNIZED",p[p.SET=1]="SET",p[p.RESET=2]="RESET",p[p.PERMANENTLY_SET=3]="PERMANENTLY_SET",p[p.PERMANENTLY_RESET=4]="PERMANENTLY_RESET"))(i||={});let s=this.
_coreService.decPrivateModes,{activeProtocol:r,activeEncoding:n}=this._coreMouseService,o=this._coreService,{buffers:a,cols:l}=this._bufferService,{active:h,alt:d}=a,
c=this._optionsService.rawOptions,u=(p,C)=>(o.triggerDataEvent(`${g.ESC}[${t?"":"?"}${p};${C}$y`),!0),f=p=>p?1:2,_=e.params[0];return t?_===2?u(_,4):_===4?u(_,f(
o.modes.insertMode)):_===12?u(_,3):_===20?u(_,f(c.convertEol)):u(_,0):_===1?u(_,f(s.applicationCursorKeys)):_===3?u(_,c.windowOptions.setWinLines?l===80?2:l===132?
1:0:0):_===6?u(_,f(s.origin)):_===7?u(_,f(s.wraparound)):_===8?u(_,3):_===9?u(_,f(r==="X10")):_===12?u(_,f(c.cursorBlink)):_===25?u(_,f(!o.isCursorHidden)):_===
45?u(_,f(s.reverseWraparound)):_===66?u(_,f(s.applicationKeypad)):_===67?u(_,4):_===1e3?u(_,f(r==="VT200")):_===1002?u(_,f(r==="DRAG")):_===1003?u(_,f(r==="ANY")):
_===1004?u(_,f(s.sendFocus)):_===1005?u(_,4):_===1006?u(_,f(n==="SGR")):_===1015?u(_,4):_===1016?u(_,f(n==="SGR_PIXELS")):_===1048?u(_,1):_===47||_===1047||_===
1049?u(_,f(h===d)):_===2004?u(_,f(s.bracketedPasteMode)):_===2026?u(_,f(s.synchronizedOutput)):u(_,0)}_updateAttrColor(e,t,i,s,r){return t===2?(e|=50331648,e&=-16777216,
e|=Bt.fromColorRGB([i,s,r])):t===5&&(e&=-50331904,e|=33554432|i&255),e}_extractColor(e,t,i){let s=[0,0,-1,0,0,0],r=0,n=0;do{if(s[n+r]=e.params[t+n],e.hasSubParams(
t+n)){let o=e.getSubParams(t+n),a=0;do s[1]===5&&(r=1),s[n+a+1+r]=o[a];while(++a<o.length&&a+n+1+r<s.length);break}if(s[1]===5&&n+r>=2||s[1]===2&&n+r>=5)break;s[1]&&
(r=1)}while(++n+t<e.length&&n+r<s.length);for(let o=2;o<s.length;++o)s[o]===-1&&(s[o]=0);switch(s[0]){case 38:i.fg=this._updateAttrColor(i.fg,s[1],s[3],s[4],s[5]);
break;case 48:i.bg=this._updateAttrColor(i.bg,s[1],s[3],s[4],s[5]);break;case 58:i.extended=i.extended.clone(),i.extended.underlineColor=this._updateAttrColor(i.
extended.underlineColor,s[1],s[3],s[4],s[5])}return n}_processUnderline(e,t){t.extended=t.extended.clone(),(!~e||e>5)&&(e=1),t.extended.underlineStyle=e,t.fg|=268435456,
e===0&&(t.fg&=-268435457),t.updateExtended()}_processSGR0(e){e.fg=Y.fg,e.bg=Y.bg,e.extended=e.extended.clone(),e.extended.underlineStyle=0,e.extended.underlineColor&=
-67108864,e.updateExtended()}charAttributes(e){if(e.length===1&&e.params[0]===0)return this._processSGR0(this._curAttrData),!0;let t=e.length,i,s=this._curAttrData;
for(let r=0;r<t;r++)i=e.params[r],i>=30&&i<=37?(s.fg&=-50331904,s.fg|=16777216|i-30):i>=40&&i<=47?(s.bg&=-50331904,s.bg|=16777216|i-40):i>=90&&i<=97?(s.fg&=-50331904,
s.fg|=16777216|i-90|8):i>=100&&i<=107?(s.bg&=-50331904,s.bg|=16777216|i-100|8):i===0?this._processSGR0(s):i===1?s.fg|=134217728:i===3?s.bg|=67108864:i===4?(s.fg|=
268435456,this._processUnderline(e.hasSubParams(r)?e.getSubParams(r)[0]:1,s)):i===5?s.fg|=536870912:i===7?s.fg|=67108864:i===8?s.fg|=1073741824:i===9?s.fg|=2147483648:
i===2?s.bg|=134217728:i===21?this._processUnderline(2,s):i===22?(s.fg&=-134217729,s.bg&=-134217729):i===23?s.bg&=-67108865:i===24?(s.fg&=-268435457,this._processUnderline(
0,s)):i===25?s.fg&=-536870913:i===27?s.fg&=-67108865:i===28?s.fg&=-1073741825:i===29?s.fg&=2147483647:i===39?(s.fg&=-67108864,s.fg|=Y.fg&16777215):i===49?(s.bg&=
-67108864,s.bg|=Y.bg&16777215):i===38||i===48||i===58?r+=this._extractColor(e,r,s):i===53?s.bg|=1073741824:i===55?s.bg&=-1073741825:i===59?(s.extended=s.extended.
clone(),s.extended.underlineColor=-1,s.updateExtended()):i===100?(s.fg&=-67108864,s.fg|=Y.fg&16777215,s.bg&=-67108864,s.bg|=Y.bg&16777215):this._logService.debug(
"Unknown SGR attribute: %d.",i);return!0}deviceStatus(e){switch(e.params[0]){case 5:this._coreService.triggerDataEvent(`${g.ESC}[0n`);break;case 6:let t=this._activeBuffer.
y+1,i=this._activeBuffer.x+1;this._coreService.triggerDataEvent(`${g.ESC}[${t};${i}R`);break}return!0}deviceStatusPrivate(e){switch(e.params[0]){case 6:let t=this.
_activeBuffer.y+1,i=this._activeBuffer.x+1;this._coreService.triggerDataEvent(`${g.ESC}[?${t};${i}R`);break;case 15:break;case 25:break;case 26:break;case 53:break}
return!0}softReset(e){return this._coreService.isCursorHidden=!1,this._onRequestSyncScrollBar.fire(),this._activeBuffer.scrollTop=0,this._activeBuffer.scrollBottom=
this._bufferService.rows-1,this._curAttrData=Y.clone(),this._coreService.reset(),this._charsetService.reset(),this._activeBuffer.savedX=0,this._activeBuffer.savedY=
this._activeBuffer.ybase,this._activeBuffer.savedCurAttrData.fg=this._curAttrData.fg,this._activeBuffer.savedCurAttrData.bg=this._curAttrData.bg,this._activeBuffer.
savedCharset=this._charsetService.charset,this._coreService.decPrivateModes.origin=!1,!0}setCursorStyle(e){let t=e.length===0?1:e.params[0];if(t===0)this._coreService.
decPrivateModes.cursorStyle=void 0,this._coreService.decPrivateModes.cursorBlink=void 0;else{switch(t){case 1:case 2:this._coreService.decPrivateModes.cursorStyle=
"block";break;case 3:case 4:this._coreService.decPrivateModes.cursorStyle="underline";break;case 5:case 6:this._coreService.decPrivateModes.cursorStyle="bar";break}
let i=t%2===1;this._coreService.decPrivateModes.cursorBlink=i}return!0}setScrollRegion(e){let t=e.params[0]||1,i;return(e.length<2||(i=e.params[1])>this._bufferService.
rows||i===0)&&(i=this._bufferService.rows),i>t&&(this._activeBuffer.scrollTop=t-1,this._activeBuffer.scrollBottom=i-1,this._setCursor(0,0)),!0}windowOptions(e){
if(!gr(e.params[0],this._optionsService.rawOptions.windowOptions))return!0;let t=e.length>1?e.params[1]:0;switch(e.params[0]){case 14:t!==2&&this._onRequestWindowsOptionsReport.
fire(0);break;case 16:this._onRequestWindowsOptionsReport.fire(1);break;case 18:this._bufferService&&this._coreService.triggerDataEvent(`${g.ESC}[8;${this._bufferService.
rows};${this._bufferService.cols}t`);break;case 22:(t===0||t===2)&&(this._windowTitleStack.push(this._windowTitle),this._windowTitleStack.length>pr&&this._windowTitleStack.
shift()),(t===0||t===1)&&(this._iconNameStack.push(this._iconName),this._iconNameStack.length>pr&&this._iconNameStack.shift());break;case 23:(t===0||t===2)&&this.
_windowTitleStack.length&&this.setTitle(this._windowTitleStack.pop()),(t===0||t===1)&&this._iconNameStack.length&&this.setIconName(this._iconNameStack.pop());break}
return!0}saveCursor(e){return this._activeBuffer.savedX=this._activeBuffer.x,this._activeBuffer.savedY=this._activeBuffer.ybase+this._activeBuffer.y,this._activeBuffer.
savedCurAttrData.fg=this._curAttrData.fg,this._activeBuffer.savedCurAttrData.bg=this._curAttrData.bg,this._activeBuffer.savedCharset=this._charsetService.charset,
!0}restoreCursor(e){return this._activeBuffer.x=this._activeBuffer.savedX||0,this._activeBuffer.y=Math.max(this._activeBuffer.savedY-this._activeBuffer.ybase,0),
this._curAttrData.fg=this._activeBuffer.savedCurAttrData.fg,this._curAttrData.bg=this._activeBuffer.savedCurAttrData.bg,this._charsetService.charset=this._savedCharset,
this._activeBuffer.savedCharset&&(this._charsetService.charset=this._activeBuffer.savedCharset),this._restrictCursor(),!0}setTitle(e){return this._windowTitle=e,
this._onTitleChange.fire(e),!0}setIconName(e){return this._iconName=e,!0}setOrReportIndexedColor(e){let t=[],i=e.split(";");for(;i.length>1;){let s=i.shift(),r=i.
shift();if(/^\d+$/.exec(s)){let n=parseInt(s);if(Sr(n))if(r==="?")t.push({type:0,index:n});else{let o=fr(r);o&&t.push({type:1,index:n,color:o})}}}return t.length&&
this._onColor.fire(t),!0}setHyperlink(e){let t=e.indexOf(";");if(t===-1)return!0;let i=e.slice(0,t).trim(),s=e.slice(t+1);return s?this._createHyperlink(i,s):i.
trim()?!1:this._finishHyperlink()}_createHyperlink(e,t){this._getCurrentLinkId()&&this._finishHyperlink();let i=e.split(":"),s,r=i.findIndex(n=>n.startsWith("id\
="));return r!==-1&&(s=i[r].slice(3)||void 0),this._curAttrData.extended=this._curAttrData.extended.clone(),this._curAttrData.extended.urlId=this._oscLinkService.
registerLink({id:s,uri:t}),this._curAttrData.updateExtended(),!0}_finishHyperlink(){return this._curAttrData.extended=this._curAttrData.extended.clone(),this._curAttrData.
extended.urlId=0,this._curAttrData.updateExtended(),!0}_setOrReportSpecialColor(e,t){let i=e.split(";");for(let s=0;s<i.length&&!(t>=this._specialColors.length);++s,
++t)if(i[s]==="?")this._onColor.fire([{type:0,index:this._specialColors[t]}]);else{let r=fr(i[s]);r&&this._onColor.fire([{type:1,index:this._specialColors[t],color:r}])}
return!0}setOrReportFgColor(e){return this._setOrReportSpecialColor(e,0)}setOrReportBgColor(e){return this._setOrReportSpecialColor(e,1)}setOrReportCursorColor(e){
return this._setOrReportSpecialColor(e,2)}restoreIndexedColor(e){if(!e)return this._onColor.fire([{type:2}]),!0;let t=[],i=e.split(";");for(let s=0;s<i.length;++s)
if(/^\d+$/.exec(i[s])){let r=parseInt(i[s]);Sr(r)&&t.push({type:2,index:r})}return t.length&&this._onColor.fire(t),!0}restoreFgColor(e){return this._onColor.fire(
[{type:2,index:256}]),!0}restoreBgColor(e){return this._onColor.fire([{type:2,index:257}]),!0}restoreCursorColor(e){return this._onColor.fire([{type:2,index:258}]),
!0}nextLine(){return this._activeBuffer.x=0,this.index(),!0}keypadApplicationMode(){return this._logService.debug("Serial port requested application keypad."),this.
_coreService.decPrivateModes.applicationKeypad=!0,this._onRequestSyncScrollBar.fire(),!0}keypadNumericMode(){return this._logService.debug("Switching back to no\
rmal keypad."),this._coreService.decPrivateModes.applicationKeypad=!1,this._onRequestSyncScrollBar.fire(),!0}selectDefaultCharset(){return this._charsetService.
setgLevel(0),this._charsetService.setgCharset(0,Ge),!0}selectCharset(e){return e.length!==2?(this.selectDefaultCharset(),!0):(e[0]==="/"||this._charsetService.setgCharset(
Ua[e[0]],J[e[1]]||Ge),!0)}index(){return this._restrictCursor(),this._activeBuffer.y++,this._activeBuffer.y===this._activeBuffer.scrollBottom+1?(this._activeBuffer.
y--,this._bufferService.scroll(this._eraseAttrData())):this._activeBuffer.y>=this._bufferService.rows&&(this._activeBuffer.y=this._bufferService.rows-1),this._restrictCursor(),
!0}tabSet(){return this._activeBuffer.tabs[this._activeBuffer.x]=!0,!0}reverseIndex(){if(this._restrictCursor(),this._activeBuffer.y===this._activeBuffer.scrollTop){
let e=this._activeBuffer.scrollBottom-this._activeBuffer.scrollTop;this._activeBuffer.lines.shiftElements(this._activeBuffer.ybase+this._activeBuffer.y,e,1),this.
_activeBuffer.lines.set(this._activeBuffer.ybase+this._activeBuffer.y,this._activeBuffer.getBlankLine(this._eraseAttrData())),this._dirtyRowTracker.markRangeDirty(
this._activeBuffer.scrollTop,this._activeBuffer.scrollBottom)}else this._activeBuffer.y--,this._restrictCursor();return!0}fullReset(){return this._parser.reset(),
this._onRequestReset.fire(),!0}reset(){this._curAttrData=Y.clone(),this._eraseAttrDataInternal=Y.clone()}_eraseAttrData(){return this._eraseAttrDataInternal.bg&=
-67108864,this._eraseAttrDataInternal.bg|=this._curAttrData.bg&67108863,this._eraseAttrDataInternal}setgLevel(e){return this._charsetService.setgLevel(e),!0}screenAlignmentPattern(){
let e=new we;e.content=1<<22|69,e.fg=this._curAttrData.fg,e.bg=this._curAttrData.bg,this._setCursor(0,0);for(let t=0;t<this._bufferService.rows;++t){let i=this.
_activeBuffer.ybase+this._activeBuffer.y+t,s=this._activeBuffer.lines.get(i);s&&(s.fill(e),s.isWrapped=!1)}return this._dirtyRowTracker.markAllDirty(),this._setCursor(
0,0),!0}requestStatusString(e,t){let i=o=>(this._coreService.triggerDataEvent(`${g.ESC}${o}${g.ESC}\\`),!0),s=this._bufferService.buffer,r=this._optionsService.
rawOptions;return i(e==='"q'?`P1$r${this._curAttrData.isProtected()?1:0}"q`:e==='"p'?'P1$r61;1"p':e==="r"?`P1$r${s.scrollTop+1};${s.scrollBottom+1}r`:e==="m"?"P\
1$r0m":e===" q"?`P1$r${{block:2,underline:4,bar:6}[r.cursorStyle]-(r.cursorBlink?1:0)} q`:"P0$r")}markRangeDirty(e,t){this._dirtyRowTracker.markRangeDirty(e,t)}},
ls=class{constructor(e){this._bufferService=e,this.clearRange()}clearRange(){this.start=this._bufferService.buffer.y,this.end=this._bufferService.buffer.y}markDirty(e){
e<this.start?this.start=e:e>this.end&&(this.end=e)}markRangeDirty(e,t){e>t&&(mr=e,e=t,t=mr),e<this.start&&(this.start=e),t>this.end&&(this.end=t)}markAllDirty(){
this.markRangeDirty(0,this._bufferService.rows-1)}};ls=q([y(0,ce)],ls);function Sr(e){return 0<=e&&e<256}var Va=5e7,wr=12,Ya=50,ja=class extends R{constructor(e){
super(),this._action=e,this._writeBuffer=[],this._callbacks=[],this._pendingData=0,this._bufferOffset=0,this._isSyncWriting=!1,this._syncCalls=0,this._didUserInput=
!1,this._onWriteParsed=this._register(new v),this.onWriteParsed=this._onWriteParsed.event}handleUserInput(){this._didUserInput=!0}writeSync(e,t){if(t!==void 0&&
this._syncCalls>t){this._syncCalls=0;return}if(this._pendingData+=e.length,this._writeBuffer.push(e),this._callbacks.push(void 0),this._syncCalls++,this._isSyncWriting)
return;this._isSyncWriting=!0;let i;for(;i=this._writeBuffer.shift();){this._action(i);let s=this._callbacks.shift();s&&s()}this._pendingData=0,this._bufferOffset=
2147483647,this._isSyncWriting=!1,this._syncCalls=0}write(e,t){if(this._pendingData>Va)throw new Error("write data discarded, use flow control to avoid losing d\
ata");if(!this._writeBuffer.length){if(this._bufferOffset=0,this._didUserInput){this._didUserInput=!1,this._pendingData+=e.length,this._writeBuffer.push(e),this.
_callbacks.push(t),this._innerWrite();return}setTimeout(()=>this._innerWrite())}this._pendingData+=e.length,this._writeBuffer.push(e),this._callbacks.push(t)}_innerWrite(e=0,t=!0){
let i=e||performance.now();for(;this._writeBuffer.length>this._bufferOffset;){let s=this._writeBuffer[this._bufferOffset],r=this._action(s,t);if(r){let o=a=>performance.
now()-i>=wr?setTimeout(()=>this._innerWrite(0,a)):this._innerWrite(i,a);r.catch(a=>(queueMicrotask(()=>{throw a}),Promise.resolve(!1))).then(o);return}let n=this.
_callbacks[this._bufferOffset];if(n&&n(),this._bufferOffset++,this._pendingData-=s.length,performance.now()-i>=wr)break}this._writeBuffer.length>this._bufferOffset?
(this._bufferOffset>Ya&&(this._writeBuffer=this._writeBuffer.slice(this._bufferOffset),this._callbacks=this._callbacks.slice(this._bufferOffset),this._bufferOffset=
0),setTimeout(()=>this._innerWrite())):(this._writeBuffer.length=0,this._callbacks.length=0,this._pendingData=0,this._bufferOffset=0),this._onWriteParsed.fire()}},
cs=class{constructor(e){this._bufferService=e,this._nextId=1,this._entriesWithId=new Map,this._dataByLinkId=new Map}registerLink(e){let t=this._bufferService.buffer;
if(e.id===void 0){let a=t.addMarker(t.ybase+t.y),l={data:e,id:this._nextId++,lines:[a]};return a.onDispose(()=>this._removeMarkerFromLink(l,a)),this._dataByLinkId.
set(l.id,l),l.id}let i=e,s=this._getEntryIdKey(i),r=this._entriesWithId.get(s);if(r)return this.addLineToLink(r.id,t.ybase+t.y),r.id;let n=t.addMarker(t.ybase+t.
y),o={id:this._nextId++,key:this._getEntryIdKey(i),data:i,lines:[n]};return n.onDispose(()=>this._removeMarkerFromLink(o,n)),this._entriesWithId.set(o.key,o),this.
_dataByLinkId.set(o.id,o),o.id}addLineToLink(e,t){let i=this._dataByLinkId.get(e);if(i&&i.lines.every(s=>s.line!==t)){let s=this._bufferService.buffer.addMarker(
t);i.lines.push(s),s.onDispose(()=>this._removeMarkerFromLink(i,s))}}getLinkData(e){return this._dataByLinkId.get(e)?.data}_getEntryIdKey(e){return`${e.id};;${e.
uri}`}_removeMarkerFromLink(e,t){let i=e.lines.indexOf(t);i!==-1&&(e.lines.splice(i,1),e.lines.length===0&&(e.data.id!==void 0&&this._entriesWithId.delete(e.key),
this._dataByLinkId.delete(e.id)))}};cs=q([y(0,ce)],cs);var br=!1,Xa=class extends R{constructor(e){super(),this._windowsWrappingHeuristics=this._register(new rt),
this._onBinary=this._register(new v),this.onBinary=this._onBinary.event,this._onData=this._register(new v),this.onData=this._onData.event,this._onLineFeed=this.
_register(new v),this.onLineFeed=this._onLineFeed.event,this._onResize=this._register(new v),this.onResize=this._onResize.event,this._onWriteParsed=this._register(
new v),this.onWriteParsed=this._onWriteParsed.event,this._onScroll=this._register(new v),this._instantiationService=new ma,this.optionsService=this._register(new Ra(
e)),this._instantiationService.setService(de,this.optionsService),this._bufferService=this._register(this._instantiationService.createInstance(ns)),this._instantiationService.
setService(ce,this._bufferService),this._logService=this._register(this._instantiationService.createInstance(rs)),this._instantiationService.setService(Ar,this.
_logService),this.coreService=this._register(this._instantiationService.createInstance(os)),this._instantiationService.setService(tt,this.coreService),this.coreMouseService=
this._register(this._instantiationService.createInstance(hs)),this._instantiationService.setService(Tr,this.coreMouseService),this.unicodeService=this._register(
this._instantiationService.createInstance(Je)),this._instantiationService.setService(zn,this.unicodeService),this._charsetService=this._instantiationService.createInstance(
Aa),this._instantiationService.setService(Wn,this._charsetService),this._oscLinkService=this._instantiationService.createInstance(cs),this._instantiationService.
setService(Or,this._oscLinkService),this._inputHandler=this._register(new qa(this._bufferService,this._charsetService,this.coreService,this._logService,this.optionsService,
this._oscLinkService,this.coreMouseService,this.unicodeService)),this._register(oe.forward(this._inputHandler.onLineFeed,this._onLineFeed)),this._register(this.
_inputHandler),this._register(oe.forward(this._bufferService.onResize,this._onResize)),this._register(oe.forward(this.coreService.onData,this._onData)),this._register(
oe.forward(this.coreService.onBinary,this._onBinary)),this._register(this.coreService.onRequestScrollToBottom(()=>this.scrollToBottom(!0))),this._register(this.
coreService.onUserInput(()=>this._writeBuffer.handleUserInput())),this._register(this.optionsService.onMultipleOptionChange(["windowsMode","windowsPty"],()=>this.
_handleWindowsPtyOptionChange())),this._register(this._bufferService.onScroll(()=>{this._onScroll.fire({position:this._bufferService.buffer.ydisp}),this._inputHandler.
markRangeDirty(this._bufferService.buffer.scrollTop,this._bufferService.buffer.scrollBottom)})),this._writeBuffer=this._register(new ja((t,i)=>this._inputHandler.
parse(t,i))),this._register(oe.forward(this._writeBuffer.onWriteParsed,this._onWriteParsed))}get onScroll(){return this._onScrollApi||(this._onScrollApi=this._register(
new v),this._onScroll.event(e=>{this._onScrollApi?.fire(e.position)})),this._onScrollApi.event}get cols(){return this._bufferService.cols}get rows(){return this.
_bufferService.rows}get buffers(){return this._bufferService.buffers}get options(){return this.optionsService.options}set options(e){for(let t in e)this.optionsService.
options[t]=e[t]}write(e,t){this._writeBuffer.write(e,t)}writeSync(e,t){this._logService.logLevel<=3&&!br&&(this._logService.warn("writeSync is unreliable and wi\
ll be removed soon."),br=!0),this._writeBuffer.writeSync(e,t)}input(e,t=!0){this.coreService.triggerDataEvent(e,t)}resize(e,t){isNaN(e)||isNaN(t)||(e=Math.max(e,
Cn),t=Math.max(t,kn),this._bufferService.resize(e,t))}scroll(e,t=!1){this._bufferService.scroll(e,t)}scrollLines(e,t){this._bufferService.scrollLines(e,t)}scrollPages(e){
this.scrollLines(e*(this.rows-1))}scrollToTop(){this.scrollLines(-this._bufferService.buffer.ydisp)}scrollToBottom(e){this.scrollLines(this._bufferService.buffer.
ybase-this._bufferService.buffer.ydisp)}scrollToLine(e){let t=e-this._bufferService.buffer.ydisp;t!==0&&this.scrollLines(t)}registerEscHandler(e,t){return this.
_inputHandler.registerEscHandler(e,t)}registerDcsHandler(e,t){return this._inputHandler.registerDcsHandler(e,t)}registerCsiHandler(e,t){return this._inputHandler.
registerCsiHandler(e,t)}registerOscHandler(e,t){return this._inputHandler.registerOscHandler(e,t)}_setup(){this._handleWindowsPtyOptionChange()}reset(){this._inputHandler.
reset(),this._bufferService.reset(),this._charsetService.reset(),this.coreService.reset(),this.coreMouseService.reset()}_handleWindowsPtyOptionChange(){let e=!1,
t=this.optionsService.rawOptions.windowsPty;t&&t.buildNumber!==void 0&&t.buildNumber!==void 0?e=t.backend==="conpty"&&t.buildNumber<21376:this.optionsService.rawOptions.
windowsMode&&(e=!0),e?this._enableWindowsWrappingHeuristics():this._windowsWrappingHeuristics.clear()}_enableWindowsWrappingHeuristics(){if(!this._windowsWrappingHeuristics.
value){let e=[];e.push(this.onLineFeed(_r.bind(null,this._bufferService))),e.push(this.registerCsiHandler({final:"H"},()=>(_r(this._bufferService),!1))),this._windowsWrappingHeuristics.
value=W(()=>{for(let t of e)t.dispose()})}}},Ga={48:["0",")"],49:["1","!"],50:["2","@"],51:["3","#"],52:["4","$"],53:["5","%"],54:["6","^"],55:["7","&"],56:["8",
"*"],57:["9","("],186:[";",":"],187:["=","+"],188:[",","<"],189:["-","_"],190:[".",">"],191:["/","?"],192:["`","~"],219:["[","{"],220:["\\","|"],221:["]","}"],222:[
"'",'"']};function Ja(e,t,i,s){let r={type:0,cancel:!1,key:void 0},n=(e.shiftKey?1:0)|(e.altKey?2:0)|(e.ctrlKey?4:0)|(e.metaKey?8:0);switch(e.keyCode){case 0:e.
key==="UIKeyInputUpArrow"?t?r.key=g.ESC+"OA":r.key=g.ESC+"[A":e.key==="UIKeyInputLeftArrow"?t?r.key=g.ESC+"OD":r.key=g.ESC+"[D":e.key==="UIKeyInputRightArrow"?t?
r.key=g.ESC+"OC":r.key=g.ESC+"[C":e.key==="UIKeyInputDownArrow"&&(t?r.key=g.ESC+"OB":r.key=g.ESC+"[B");break;case 8:r.key=e.ctrlKey?"\b":g.DEL,e.altKey&&(r.key=
g.ESC+r.key);break;case 9:if(e.shiftKey){r.key=g.ESC+"[Z";break}r.key=g.HT,r.cancel=!0;break;case 13:r.key=e.altKey?g.ESC+g.CR:g.CR,r.cancel=!0;break;case 27:r.
key=g.ESC,e.altKey&&(r.key=g.ESC+g.ESC),r.cancel=!0;break;case 37:if(e.metaKey)break;n?r.key=g.ESC+"[1;"+(n+1)+"D":t?r.key=g.ESC+"OD":r.key=g.ESC+"[D";break;case 39:
if(e.metaKey)break;n?r.key=g.ESC+"[1;"+(n+1)+"C":t?r.key=g.ESC+"OC":r.key=g.ESC+"[C";break;case 38:if(e.metaKey)break;n?r.key=g.ESC+"[1;"+(n+1)+"A":t?r.key=g.ESC+
"OA":r.key=g.ESC+"[A";break;case 40:if(e.metaKey)break;n?r.key=g.ESC+"[1;"+(n+1)+"B":t?r.key=g.ESC+"OB":r.key=g.ESC+"[B";break;case 45:!e.shiftKey&&!e.ctrlKey&&
(r.key=g.ESC+"[2~");break;case 46:n?r.key=g.ESC+"[3;"+(n+1)+"~":r.key=g.ESC+"[3~";break;case 36:n?r.key=g.ESC+"[1;"+(n+1)+"H":t?r.key=g.ESC+"OH":r.key=g.ESC+"[H";
break;case 35:n?r.key=g.ESC+"[1;"+(n+1)+"F":t?r.key=g.ESC+"OF":r.key=g.ESC+"[F";break;case 33:e.shiftKey?r.type=2:e.ctrlKey?r.key=g.ESC+"[5;"+(n+1)+"~":r.key=g.
ESC+"[5~";break;case 34:e.shiftKey?r.type=3:e.ctrlKey?r.key=g.ESC+"[6;"+(n+1)+"~":r.key=g.ESC+"[6~";break;case 112:n?r.key=g.ESC+"[1;"+(n+1)+"P":r.key=g.ESC+"OP";
break;case 113:n?r.key=g.ESC+"[1;"+(n+1)+"Q":r.key=g.ESC+"OQ";break;case 114:n?r.key=g.ESC+"[1;"+(n+1)+"R":r.key=g.ESC+"OR";break;case 115:n?r.key=g.ESC+"[1;"+(n+
1)+"S":r.key=g.ESC+"OS";break;case 116:n?r.key=g.ESC+"[15;"+(n+1)+"~":r.key=g.ESC+"[15~";break;case 117:n?r.key=g.ESC+"[17;"+(n+1)+"~":r.key=g.ESC+"[17~";break;case 118:
n?r.key=g.ESC+"[18;"+(n+1)+"~":r.key=g.ESC+"[18~";break;case 119:n?r.key=g.ESC+"[19;"+(n+1)+"~":r.key=g.ESC+"[19~";break;case 120:n?r.key=g.ESC+"[20;"+(n+1)+"~":
r.key=g.ESC+"[20~";break;case 121:n?r.key=g.ESC+"[21;"+(n+1)+"~":r.key=g.ESC+"[21~";break;case 122:n?r.key=g.ESC+"[23;"+(n+1)+"~":r.key=g.ESC+"[23~";break;case 123:
n?r.key=g.ESC+"[24;"+(n+1)+"~":r.key=g.ESC+"[24~";break;default:if(e.ctrlKey&&!e.shiftKey&&!e.altKey&&!e.metaKey)e.keyCode>=65&&e.keyCode<=90?r.key=String.fromCharCode(
e.keyCode-64):e.keyCode===32?r.key=g.NUL:e.keyCode>=51&&e.keyCode<=55?r.key=String.fromCharCode(e.keyCode-51+27):e.keyCode===56?r.key=g.DEL:e.keyCode===219?r.key=
g.ESC:e.keyCode===220?r.key=g.FS:e.keyCode===221&&(r.key=g.GS);else if((!i||s)&&e.altKey&&!e.metaKey){let o=Ga[e.keyCode]?.[e.shiftKey?1:0];if(o)r.key=g.ESC+o;else if(e.
keyCode>=65&&e.keyCode<=90){let a=e.ctrlKey?e.keyCode-64:e.keyCode+32,l=String.fromCharCode(a);e.shiftKey&&(l=l.toUpperCase()),r.key=g.ESC+l}else if(e.keyCode===
32)r.key=g.ESC+(e.ctrlKey?g.NUL:" ");else if(e.key==="Dead"&&e.code.startsWith("Key")){let a=e.code.slice(3,4);e.shiftKey||(a=a.toLowerCase()),r.key=g.ESC+a,r.cancel=
!0}}else i&&!e.altKey&&!e.ctrlKey&&!e.shiftKey&&e.metaKey?e.keyCode===65&&(r.type=1):e.key&&!e.ctrlKey&&!e.altKey&&!e.metaKey&&e.keyCode>=48&&e.key.length===1?r.
key=e.key:e.key&&e.ctrlKey&&(e.key==="_"&&(r.key=g.US),e.key==="@"&&(r.key=g.NUL));break}return r}var V=0,Za=class{constructor(e){this._getKey=e,this._array=[],
this._insertedValues=[],this._flushInsertedTask=new ii,this._isFlushingInserted=!1,this._deletedIndices=[],this._flushDeletedTask=new ii,this._isFlushingDeleted=
!1}clear(){this._array.length=0,this._insertedValues.length=0,this._flushInsertedTask.clear(),this._isFlushingInserted=!1,this._deletedIndices.length=0,this._flushDeletedTask.
clear(),this._isFlushingDeleted=!1}insert(e){this._flushCleanupDeleted(),this._insertedValues.length===0&&this._flushInsertedTask.enqueue(()=>this._flushInserted()),
this._insertedValues.push(e)}_flushInserted(){let e=this._insertedValues.sort((r,n)=>this._getKey(r)-this._getKey(n)),t=0,i=0,s=new Array(this._array.length+this.
_insertedValues.length);for(let r=0;r<s.length;r++)i>=this._array.length||this._getKey(e[t])<=this._getKey(this._array[i])?(s[r]=e[t],t++):s[r]=this._array[i++];
this._array=s,this._insertedValues.length=0}_flushCleanupInserted(){!this._isFlushingInserted&&this._insertedValues.length>0&&this._flushInsertedTask.flush()}delete(e){
if(this._flushCleanupInserted(),this._array.length===0)return!1;let t=this._getKey(e);if(t===void 0||(V=this._search(t),V===-1)||this._getKey(this._array[V])!==
t)return!1;do if(this._array[V]===e)return this._deletedIndices.length===0&&this._flushDeletedTask.enqueue(()=>this._flushDeleted()),this._deletedIndices.push(V),
!0;while(++V<this._array.length&&this._getKey(this._array[V])===t);return!1}_flushDeleted(){this._isFlushingDeleted=!0;let e=this._deletedIndices.sort((r,n)=>r-
n),t=0,i=new Array(this._array.length-e.length),s=0;for(let r=0;r<this._array.length;r++)e[t]===r?t++:i[s++]=this._array[r];this._array=i,this._deletedIndices.length=
0,this._isFlushingDeleted=!1}_flushCleanupDeleted(){!this._isFlushingDeleted&&this._deletedIndices.length>0&&this._flushDeletedTask.flush()}*getKeyIterator(e){if(this.
_flushCleanupInserted(),this._flushCleanupDeleted(),this._array.length!==0&&(V=this._search(e),!(V<0||V>=this._array.length)&&this._getKey(this._array[V])===e))
do yield this._array[V];while(++V<this._array.length&&this._getKey(this._array[V])===e)}forEachByKey(e,t){if(this._flushCleanupInserted(),this._flushCleanupDeleted(),
this._array.length!==0&&(V=this._search(e),!(V<0||V>=this._array.length)&&this._getKey(this._array[V])===e))do t(this._array[V]);while(++V<this._array.length&&this.
_getKey(this._array[V])===e)}values(){return this._flushCleanupInserted(),this._flushCleanupDeleted(),[...this._array].values()}_search(e){let t=0,i=this._array.
length-1;for(;i>=t;){let s=t+i>>1,r=this._getKey(this._array[s]);if(r>e)i=s-1;else if(r<e)t=s+1;else{for(;s>0&&this._getKey(this._array[s-1])===e;)s--;return s}}
return t}},Di=0,yr=0,Qa=class extends R{constructor(){super(),this._decorations=new Za(e=>e?.marker.line),this._onDecorationRegistered=this._register(new v),this.
onDecorationRegistered=this._onDecorationRegistered.event,this._onDecorationRemoved=this._register(new v),this.onDecorationRemoved=this._onDecorationRemoved.event,
this._register(W(()=>this.reset()))}get decorations(){return this._decorations.values()}registerDecoration(e){if(e.marker.isDisposed)return;let t=new el(e);if(t){
let i=t.marker.onDispose(()=>t.dispose()),s=t.onDispose(()=>{s.dispose(),t&&(this._decorations.delete(t)&&this._onDecorationRemoved.fire(t),i.dispose())});this.
_decorations.insert(t),this._onDecorationRegistered.fire(t)}return t}reset(){for(let e of this._decorations.values())e.dispose();this._decorations.clear()}*getDecorationsAtCell(e,t,i){
let s=0,r=0;for(let n of this._decorations.getKeyIterator(t))s=n.options.x??0,r=s+(n.options.width??1),e>=s&&e<r&&(!i||(n.options.layer??"bottom")===i)&&(yield n)}forEachDecorationAtCell(e,t,i,s){
this._decorations.forEachByKey(t,r=>{Di=r.options.x??0,yr=Di+(r.options.width??1),e>=Di&&e<yr&&(!i||(r.options.layer??"bottom")===i)&&s(r)})}},el=class extends Ve{constructor(e){
super(),this.options=e,this.onRenderEmitter=this.add(new v),this.onRender=this.onRenderEmitter.event,this._onDispose=this.add(new v),this.onDispose=this._onDispose.
event,this._cachedBg=null,this._cachedFg=null,this.marker=e.marker,this.options.overviewRulerOptions&&!this.options.overviewRulerOptions.position&&(this.options.
overviewRulerOptions.position="full")}get backgroundColorRGB(){return this._cachedBg===null&&(this.options.backgroundColor?this._cachedBg=K.toColor(this.options.
backgroundColor):this._cachedBg=void 0),this._cachedBg}get foregroundColorRGB(){return this._cachedFg===null&&(this.options.foregroundColor?this._cachedFg=K.toColor(
this.options.foregroundColor):this._cachedFg=void 0),this._cachedFg}dispose(){this._onDispose.fire(),super.dispose()}},tl=1e3,il=class{constructor(e,t=tl){this.
_renderCallback=e,this._debounceThresholdMS=t,this._lastRefreshMs=0,this._additionalRefreshRequested=!1}dispose(){this._refreshTimeoutID&&clearTimeout(this._refreshTimeoutID)}refresh(e,t,i){
this._rowCount=i,e=e!==void 0?e:0,t=t!==void 0?t:this._rowCount-1,this._rowStart=this._rowStart!==void 0?Math.min(this._rowStart,e):e,this._rowEnd=this._rowEnd!==
void 0?Math.max(this._rowEnd,t):t;let s=performance.now();if(s-this._lastRefreshMs>=this._debounceThresholdMS)this._lastRefreshMs=s,this._innerRefresh();else if(!this.
_additionalRefreshRequested){let r=s-this._lastRefreshMs,n=this._debounceThresholdMS-r;this._additionalRefreshRequested=!0,this._refreshTimeoutID=window.setTimeout(
()=>{this._lastRefreshMs=performance.now(),this._innerRefresh(),this._additionalRefreshRequested=!1,this._refreshTimeoutID=void 0},n)}}_innerRefresh(){if(this._rowStart===
void 0||this._rowEnd===void 0||this._rowCount===void 0)return;let e=Math.max(this._rowStart,0),t=Math.min(this._rowEnd,this._rowCount-1);this._rowStart=void 0,this.
_rowEnd=void 0,this._renderCallback(e,t)}},Cr=20,kr=!1,si=class extends R{constructor(e,t,i,s){super(),this._terminal=e,this._coreBrowserService=i,this._renderService=
s,this._rowColumns=new WeakMap,this._liveRegionLineCount=0,this._charsToConsume=[],this._charsToAnnounce="";let r=this._coreBrowserService.mainDocument;this._accessibilityContainer=
r.createElement("div"),this._accessibilityContainer.classList.add("xterm-accessibility"),this._rowContainer=r.createElement("div"),this._rowContainer.setAttribute(
"role","list"),this._rowContainer.classList.add("xterm-accessibility-tree"),this._rowElements=[];for(let n=0;n<this._terminal.rows;n++)this._rowElements[n]=this.
_createAccessibilityTreeNode(),this._rowContainer.appendChild(this._rowElements[n]);if(this._topBoundaryFocusListener=n=>this._handleBoundaryFocus(n,0),this._bottomBoundaryFocusListener=
n=>this._handleBoundaryFocus(n,1),this._rowElements[0].addEventListener("focus",this._topBoundaryFocusListener),this._rowElements[this._rowElements.length-1].addEventListener(
"focus",this._bottomBoundaryFocusListener),this._accessibilityContainer.appendChild(this._rowContainer),this._liveRegion=r.createElement("div"),this._liveRegion.
classList.add("live-region"),this._liveRegion.setAttribute("aria-live","assertive"),this._accessibilityContainer.appendChild(this._liveRegion),this._liveRegionDebouncer=
this._register(new il(this._renderRows.bind(this))),!this._terminal.element)throw new Error("Cannot enable accessibility before Terminal.open");kr?(this._accessibilityContainer.
classList.add("debug"),this._rowContainer.classList.add("debug"),this._debugRootContainer=r.createElement("div"),this._debugRootContainer.classList.add("xterm"),
this._debugRootContainer.appendChild(r.createTextNode("------start a11y------")),this._debugRootContainer.appendChild(this._accessibilityContainer),this._debugRootContainer.
appendChild(r.createTextNode("------end a11y------")),this._terminal.element.insertAdjacentElement("afterend",this._debugRootContainer)):this._terminal.element.
insertAdjacentElement("afterbegin",this._accessibilityContainer),this._register(this._terminal.onResize(n=>this._handleResize(n.rows))),this._register(this._terminal.
onRender(n=>this._refreshRows(n.start,n.end))),this._register(this._terminal.onScroll(()=>this._refreshRows())),this._register(this._terminal.onA11yChar(n=>this.
_handleChar(n))),this._register(this._terminal.onLineFeed(()=>this._handleChar(`
`))),this._register(this._terminal.onA11yTab(n=>this._handleTab(n))),this._register(this._terminal.onKey(n=>this._handleKey(n.key))),this._register(this._terminal.
onBlur(()=>this._clearLiveRegion())),this._register(this._renderService.onDimensionsChange(()=>this._refreshRowsDimensions())),this._register(B(r,"selectionchan\
ge",()=>this._handleSelectionChange())),this._register(this._coreBrowserService.onDprChange(()=>this._refreshRowsDimensions())),this._refreshRowsDimensions(),this.
_refreshRows(),this._register(W(()=>{kr?this._debugRootContainer.remove():this._accessibilityContainer.remove(),this._rowElements.length=0}))}_handleTab(e){for(let t=0;t<
e;t++)this._handleChar(" ")}_handleChar(e){this._liveRegionLineCount<Cr+1&&(this._charsToConsume.length>0?this._charsToConsume.shift()!==e&&(this._charsToAnnounce+=
e):this._charsToAnnounce+=e,e===`
`&&(this._liveRegionLineCount++,this._liveRegionLineCount===Cr+1&&(this._liveRegion.textContent+=Ri.get())))}_clearLiveRegion(){this._liveRegion.textContent="",
this._liveRegionLineCount=0}_handleKey(e){this._clearLiveRegion(),new RegExp("\\p{Control}","u").test(e)||this._charsToConsume.push(e)}_refreshRows(e,t){this._liveRegionDebouncer.
refresh(e,t,this._terminal.rows)}_renderRows(e,t){let i=this._terminal.buffer,s=i.lines.length.toString();for(let r=e;r<=t;r++){let n=i.lines.get(i.ydisp+r),o=[],
a=n?.translateToString(!0,void 0,void 0,o)||"",l=(i.ydisp+r+1).toString(),h=this._rowElements[r];h&&(a.length===0?(h.textContent="\xA0",this._rowColumns.set(h,[
0,1])):(h.textContent=a,this._rowColumns.set(h,o)),h.setAttribute("aria-posinset",l),h.setAttribute("aria-setsize",s),this._alignRowWidth(h))}this._announceCharacters()}_announceCharacters(){
this._charsToAnnounce.length!==0&&(this._liveRegion.textContent+=this._charsToAnnounce,this._charsToAnnounce="")}_handleBoundaryFocus(e,t){let i=e.target,s=this.
_rowElements[t===0?1:this._rowElements.length-2],r=i.getAttribute("aria-posinset"),n=t===0?"1":`${this._terminal.buffer.lines.length}`;if(r===n||e.relatedTarget!==
s)return;let o,a;if(t===0?(o=i,a=this._rowElements.pop(),this._rowContainer.removeChild(a)):(o=this._rowElements.shift(),a=i,this._rowContainer.removeChild(o)),
o.removeEventListener("focus",this._topBoundaryFocusListener),a.removeEventListener("focus",this._bottomBoundaryFocusListener),t===0){let l=this._createAccessibilityTreeNode();
this._rowElements.unshift(l),this._rowContainer.insertAdjacentElement("afterbegin",l)}else{let l=this._createAccessibilityTreeNode();this._rowElements.push(l),this.
_rowContainer.appendChild(l)}this._rowElements[0].addEventListener("focus",this._topBoundaryFocusListener),this._rowElements[this._rowElements.length-1].addEventListener(
"focus",this._bottomBoundaryFocusListener),this._terminal.scrollLines(t===0?-1:1),this._rowElements[t===0?1:this._rowElements.length-2].focus(),e.preventDefault(),
e.stopImmediatePropagation()}_handleSelectionChange(){if(this._rowElements.length===0)return;let e=this._coreBrowserService.mainDocument.getSelection();if(!e)return;
if(e.isCollapsed){this._rowContainer.contains(e.anchorNode)&&this._terminal.clearSelection();return}if(!e.anchorNode||!e.focusNode){console.error("anchorNode an\
d/or focusNode are null");return}let t={node:e.anchorNode,offset:e.anchorOffset},i={node:e.focusNode,offset:e.focusOffset};if((t.node.compareDocumentPosition(i.
node)&Node.DOCUMENT_POSITION_PRECEDING||t.node===i.node&&t.offset>i.offset)&&([t,i]=[i,t]),t.node.compareDocumentPosition(this._rowElements[0])&(Node.DOCUMENT_POSITION_CONTAINED_BY|
Node.DOCUMENT_POSITION_FOLLOWING)&&(t={node:this._rowElements[0].childNodes[0],offset:0}),!this._rowContainer.contains(t.node))return;let s=this._rowElements.slice(
-1)[0];if(i.node.compareDocumentPosition(s)&(Node.DOCUMENT_POSITION_CONTAINED_BY|Node.DOCUMENT_POSITION_PRECEDING)&&(i={node:s,offset:s.textContent?.length??0}),
!this._rowContainer.contains(i.node))return;let r=({node:a,offset:l})=>{let h=a instanceof Text?a.parentNode:a,d=parseInt(h?.getAttribute("aria-posinset"),10)-1;
if(isNaN(d))return console.warn("row is invalid. Race condition?"),null;let c=this._rowColumns.get(h);if(!c)return console.warn("columns is null. Race condition\
?"),null;let u=l<c.length?c[l]:c.slice(-1)[0]+1;return u>=this._terminal.cols&&(++d,u=0),{row:d,column:u}},n=r(t),o=r(i);if(!(!n||!o)){if(n.row>o.row||n.row===o.
row&&n.column>=o.column)throw new Error("invalid range");this._terminal.select(n.column,n.row,(o.row-n.row)*this._terminal.cols-n.column+o.column)}}_handleResize(e){
this._rowElements[this._rowElements.length-1].removeEventListener("focus",this._bottomBoundaryFocusListener);for(let t=this._rowContainer.children.length;t<this.
_terminal.rows;t++)this._rowElements[t]=this._createAccessibilityTreeNode(),this._rowContainer.appendChild(this._rowElements[t]);for(;this._rowElements.length>e;)
this._rowContainer.removeChild(this._rowElements.pop());this._rowElements[this._rowElements.length-1].addEventListener("focus",this._bottomBoundaryFocusListener),
this._refreshRowsDimensions()}_createAccessibilityTreeNode(){let e=this._coreBrowserService.mainDocument.createElement("div");return e.setAttribute("role","list\
item"),e.tabIndex=-1,this._refreshRowDimensions(e),e}_refreshRowsDimensions(){if(this._renderService.dimensions.css.cell.height){Object.assign(this._accessibilityContainer.
style,{width:`${this._renderService.dimensions.css.canvas.width}px`,fontSize:`${this._terminal.options.fontSize}px`}),this._rowElements.length!==this._terminal.
rows&&this._handleResize(this._terminal.rows);for(let e=0;e<this._terminal.rows;e++)this._refreshRowDimensions(this._rowElements[e]),this._alignRowWidth(this._rowElements[e])}}_refreshRowDimensions(e){
e.style.height=`${this._renderService.dimensions.css.cell.height}px`}_alignRowWidth(e){e.style.transform="";let t=e.getBoundingClientRect().width,i=this._rowColumns.
get(e)?.slice(-1)?.[0];if(!i)return;let s=i*this._renderService.dimensions.css.cell.width;e.style.transform=`scaleX(${s/t})`}};si=q([y(1,_s),y(2,Oe),y(3,Ie)],si);
var ds=class extends R{constructor(e,t,i,s,r){super(),this._element=e,this._mouseService=t,this._renderService=i,this._bufferService=s,this._linkProviderService=
r,this._linkCacheDisposables=[],this._isMouseOut=!0,this._wasResized=!1,this._activeLine=-1,this._onShowLinkUnderline=this._register(new v),this.onShowLinkUnderline=
this._onShowLinkUnderline.event,this._onHideLinkUnderline=this._register(new v),this.onHideLinkUnderline=this._onHideLinkUnderline.event,this._register(W(()=>{Qe(
this._linkCacheDisposables),this._linkCacheDisposables.length=0,this._lastMouseEvent=void 0,this._activeProviderReplies?.clear()})),this._register(this._bufferService.
onResize(()=>{this._clearCurrentLink(),this._wasResized=!0})),this._register(B(this._element,"mouseleave",()=>{this._isMouseOut=!0,this._clearCurrentLink()})),this.
_register(B(this._element,"mousemove",this._handleMouseMove.bind(this))),this._register(B(this._element,"mousedown",this._handleMouseDown.bind(this))),this._register(
B(this._element,"mouseup",this._handleMouseUp.bind(this)))}get currentLink(){return this._currentLink}_handleMouseMove(e){this._lastMouseEvent=e;let t=this._positionFromMouseEvent(
e,this._element,this._mouseService);if(!t)return;this._isMouseOut=!1;let i=e.composedPath();for(let s=0;s<i.length;s++){let r=i[s];if(r.classList.contains("xter\
m"))break;if(r.classList.contains("xterm-hover"))return}(!this._lastBufferCell||t.x!==this._lastBufferCell.x||t.y!==this._lastBufferCell.y)&&(this._handleHover(
t),this._lastBufferCell=t)}_handleHover(e){if(this._activeLine!==e.y||this._wasResized){this._clearCurrentLink(),this._askForLink(e,!1),this._wasResized=!1;return}
this._currentLink&&this._linkAtPosition(this._currentLink.link,e)||(this._clearCurrentLink(),this._askForLink(e,!0))}_askForLink(e,t){(!this._activeProviderReplies||
!t)&&(this._activeProviderReplies?.forEach(s=>{s?.forEach(r=>{r.link.dispose&&r.link.dispose()})}),this._activeProviderReplies=new Map,this._activeLine=e.y);let i=!1;
for(let[s,r]of this._linkProviderService.linkProviders.entries())t?this._activeProviderReplies?.get(s)&&(i=this._checkLinkProviderResult(s,e,i)):r.provideLinks(
e.y,n=>{if(this._isMouseOut)return;let o=n?.map(a=>({link:a}));this._activeProviderReplies?.set(s,o),i=this._checkLinkProviderResult(s,e,i),this._activeProviderReplies?.
size===this._linkProviderService.linkProviders.length&&this._removeIntersectingLinks(e.y,this._activeProviderReplies)})}_removeIntersectingLinks(e,t){let i=new Set;
for(let s=0;s<t.size;s++){let r=t.get(s);if(r)for(let n=0;n<r.length;n++){let o=r[n],a=o.link.range.start.y<e?0:o.link.range.start.x,l=o.link.range.end.y>e?this.
_bufferService.cols:o.link.range.end.x;for(let h=a;h<=l;h++){if(i.has(h)){r.splice(n--,1);break}i.add(h)}}}}_checkLinkProviderResult(e,t,i){if(!this._activeProviderReplies)
return i;let s=this._activeProviderReplies.get(e),r=!1;for(let n=0;n<e;n++)(!this._activeProviderReplies.has(n)||this._activeProviderReplies.get(n))&&(r=!0);if(!r&&
s){let n=s.find(o=>this._linkAtPosition(o.link,t));n&&(i=!0,this._handleNewLink(n))}if(this._activeProviderReplies.size===this._linkProviderService.linkProviders.
length&&!i)for(let n=0;n<this._activeProviderReplies.size;n++){let o=this._activeProviderReplies.get(n)?.find(a=>this._linkAtPosition(a.link,t));if(o){i=!0,this.
_handleNewLink(o);break}}return i}_handleMouseDown(){this._mouseDownLink=this._currentLink}_handleMouseUp(e){if(!this._currentLink)return;let t=this._positionFromMouseEvent(
e,this._element,this._mouseService);t&&this._mouseDownLink&&sl(this._mouseDownLink.link,this._currentLink.link)&&this._linkAtPosition(this._currentLink.link,t)&&
this._currentLink.link.activate(e,this._currentLink.link.text)}_clearCurrentLink(e,t){!this._currentLink||!this._lastMouseEvent||(!e||!t||this._currentLink.link.
range.start.y>=e&&this._currentLink.link.range.end.y<=t)&&(this._linkLeave(this._element,this._currentLink.link,this._lastMouseEvent),this._currentLink=void 0,Qe(
this._linkCacheDisposables),this._linkCacheDisposables.length=0)}_handleNewLink(e){if(!this._lastMouseEvent)return;let t=this._positionFromMouseEvent(this._lastMouseEvent,
this._element,this._mouseService);t&&this._linkAtPosition(e.link,t)&&(this._currentLink=e,this._currentLink.state={decorations:{underline:e.link.decorations===void 0?
!0:e.link.decorations.underline,pointerCursor:e.link.decorations===void 0?!0:e.link.decorations.pointerCursor},isHovered:!0},this._linkHover(this._element,e.link,
this._lastMouseEvent),e.link.decorations={},Object.defineProperties(e.link.decorations,{pointerCursor:{get:()=>this._currentLink?.state?.decorations.pointerCursor,
set:i=>{this._currentLink?.state&&this._currentLink.state.decorations.pointerCursor!==i&&(this._currentLink.state.decorations.pointerCursor=i,this._currentLink.
state.isHovered&&this._element.classList.toggle("xterm-cursor-pointer",i))}},underline:{get:()=>this._currentLink?.state?.decorations.underline,set:i=>{this._currentLink?.
state&&this._currentLink?.state?.decorations.underline!==i&&(this._currentLink.state.decorations.underline=i,this._currentLink.state.isHovered&&this._fireUnderlineEvent(
e.link,i))}}}),this._linkCacheDisposables.push(this._renderService.onRenderedViewportChange(i=>{if(!this._currentLink)return;let s=i.start===0?0:i.start+1+this.
_bufferService.buffer.ydisp,r=this._bufferService.buffer.ydisp+1+i.end;if(this._currentLink.link.range.start.y>=s&&this._currentLink.link.range.end.y<=r&&(this.
_clearCurrentLink(s,r),this._lastMouseEvent)){let n=this._positionFromMouseEvent(this._lastMouseEvent,this._element,this._mouseService);n&&this._askForLink(n,!1)}})))}_linkHover(e,t,i){
this._currentLink?.state&&(this._currentLink.state.isHovered=!0,this._currentLink.state.decorations.underline&&this._fireUnderlineEvent(t,!0),this._currentLink.
state.decorations.pointerCursor&&e.classList.add("xterm-cursor-pointer")),t.hover&&t.hover(i,t.text)}_fireUnderlineEvent(e,t){let i=e.range,s=this._bufferService.
buffer.ydisp,r=this._createLinkUnderlineEvent(i.start.x-1,i.start.y-s-1,i.end.x,i.end.y-s-1,void 0);(t?this._onShowLinkUnderline:this._onHideLinkUnderline).fire(
r)}_linkLeave(e,t,i){this._currentLink?.state&&(this._currentLink.state.isHovered=!1,this._currentLink.state.decorations.underline&&this._fireUnderlineEvent(t,!1),
this._currentLink.state.decorations.pointerCursor&&e.classList.remove("xterm-cursor-pointer")),t.leave&&t.leave(i,t.text)}_linkAtPosition(e,t){let i=e.range.start.
y*this._bufferService.cols+e.range.start.x,s=e.range.end.y*this._bufferService.cols+e.range.end.x,r=t.y*this._bufferService.cols+t.x;return i<=r&&r<=s}_positionFromMouseEvent(e,t,i){
let s=i.getCoords(e,t,this._bufferService.cols,this._bufferService.rows);if(s)return{x:s[0],y:s[1]+this._bufferService.buffer.ydisp}}_createLinkUnderlineEvent(e,t,i,s,r){
return{x1:e,y1:t,x2:i,y2:s,cols:this._bufferService.cols,fg:r}}};ds=q([y(1,us),y(2,Ie),y(3,ce),y(4,Nr)],ds);function sl(e,t){return e.text===t.text&&e.range.start.
x===t.range.start.x&&e.range.start.y===t.range.start.y&&e.range.end.x===t.range.end.x&&e.range.end.y===t.range.end.y}var rl=class extends Xa{constructor(e={}){super(
e),this._linkifier=this._register(new rt),this.browser=_n,this._keyDownHandled=!1,this._keyDownSeen=!1,this._keyPressHandled=!1,this._unprocessedDeadKey=!1,this.
_accessibilityManager=this._register(new rt),this._onCursorMove=this._register(new v),this.onCursorMove=this._onCursorMove.event,this._onKey=this._register(new v),
this.onKey=this._onKey.event,this._onRender=this._register(new v),this.onRender=this._onRender.event,this._onSelectionChange=this._register(new v),this.onSelectionChange=
this._onSelectionChange.event,this._onTitleChange=this._register(new v),this.onTitleChange=this._onTitleChange.event,this._onBell=this._register(new v),this.onBell=
this._onBell.event,this._onFocus=this._register(new v),this._onBlur=this._register(new v),this._onA11yCharEmitter=this._register(new v),this._onA11yTabEmitter=this.
_register(new v),this._onWillOpen=this._register(new v),this._setup(),this._decorationService=this._instantiationService.createInstance(Qa),this._instantiationService.
setService(Rt,this._decorationService),this._linkProviderService=this._instantiationService.createInstance(Vh),this._instantiationService.setService(Nr,this._linkProviderService),
this._linkProviderService.registerLinkProvider(this._instantiationService.createInstance(Mi)),this._register(this._inputHandler.onRequestBell(()=>this._onBell.fire())),
this._register(this._inputHandler.onRequestRefreshRows(t=>this.refresh(t?.start??0,t?.end??this.rows-1))),this._register(this._inputHandler.onRequestSendFocus(()=>this.
_reportFocus())),this._register(this._inputHandler.onRequestReset(()=>this.reset())),this._register(this._inputHandler.onRequestWindowsOptionsReport(t=>this._reportWindowsOptions(
t))),this._register(this._inputHandler.onColor(t=>this._handleColorEvent(t))),this._register(oe.forward(this._inputHandler.onCursorMove,this._onCursorMove)),this.
_register(oe.forward(this._inputHandler.onTitleChange,this._onTitleChange)),this._register(oe.forward(this._inputHandler.onA11yChar,this._onA11yCharEmitter)),this.
_register(oe.forward(this._inputHandler.onA11yTab,this._onA11yTabEmitter)),this._register(this._bufferService.onResize(t=>this._afterResize(t.cols,t.rows))),this.
_register(W(()=>{this._customKeyEventHandler=void 0,this.element?.parentNode?.removeChild(this.element)}))}get linkifier(){return this._linkifier.value}get onFocus(){
return this._onFocus.event}get onBlur(){return this._onBlur.event}get onA11yChar(){return this._onA11yCharEmitter.event}get onA11yTab(){return this._onA11yTabEmitter.
event}get onWillOpen(){return this._onWillOpen.event}_handleColorEvent(e){if(this._themeService)for(let t of e){let i,s="";switch(t.index){case 256:i="foregroun\
d",s="10";break;case 257:i="background",s="11";break;case 258:i="cursor",s="12";break;default:i="ansi",s="4;"+t.index}switch(t.type){case 0:let r=H.toColorRGB(i===
"ansi"?this._themeService.colors.ansi[t.index]:this._themeService.colors[i]);this.coreService.triggerDataEvent(`${g.ESC}]${s};${Ka(r)}${cn.ST}`);break;case 1:if(i===
"ansi")this._themeService.modifyColors(n=>n.ansi[t.index]=j.toColor(...t.color));else{let n=i;this._themeService.modifyColors(o=>o[n]=j.toColor(...t.color))}break;case 2:
this._themeService.restoreColor(t.index);break}}}_setup(){super._setup(),this._customKeyEventHandler=void 0}get buffer(){return this.buffers.active}focus(){this.
textarea&&this.textarea.focus({preventScroll:!0})}_handleScreenReaderModeOptionChange(e){e?!this._accessibilityManager.value&&this._renderService&&(this._accessibilityManager.
value=this._instantiationService.createInstance(si,this)):this._accessibilityManager.clear()}_handleTextAreaFocus(e){this.coreService.decPrivateModes.sendFocus&&
this.coreService.triggerDataEvent(g.ESC+"[I"),this.element.classList.add("focus"),this._showCursor(),this._onFocus.fire()}blur(){return this.textarea?.blur()}_handleTextAreaBlur(){
this.textarea.value="",this.refresh(this.buffer.y,this.buffer.y),this.coreService.decPrivateModes.sendFocus&&this.coreService.triggerDataEvent(g.ESC+"[O"),this.
element.classList.remove("focus"),this._onBlur.fire()}_syncTextArea(){if(!this.textarea||!this.buffer.isCursorInViewport||this._compositionHelper.isComposing||!this.
_renderService)return;let e=this.buffer.ybase+this.buffer.y,t=this.buffer.lines.get(e);if(!t)return;let i=Math.min(this.buffer.x,this.cols-1),s=this._renderService.
dimensions.css.cell.height,r=t.getWidth(i),n=this._renderService.dimensions.css.cell.width*r,o=this.buffer.y*this._renderService.dimensions.css.cell.height,a=i*
this._renderService.dimensions.css.cell.width;this.textarea.style.left=a+"px",this.textarea.style.top=o+"px",this.textarea.style.width=n+"px",this.textarea.style.
height=s+"px",this.textarea.style.lineHeight=s+"px",this.textarea.style.zIndex="-5"}_initGlobal(){this._bindKeys(),this._register(B(this.element,"copy",t=>{this.
hasSelection()&&Tn(t,this._selectionService)}));let e=t=>An(t,this.textarea,this.coreService,this.optionsService);this._register(B(this.textarea,"paste",e)),this.
_register(B(this.element,"paste",e)),un?this._register(B(this.element,"mousedown",t=>{t.button===2&&xs(t,this.textarea,this.screenElement,this._selectionService,
this.options.rightClickSelectsWord)})):this._register(B(this.element,"contextmenu",t=>{xs(t,this.textarea,this.screenElement,this._selectionService,this.options.
rightClickSelectsWord)})),bs&&this._register(B(this.element,"auxclick",t=>{t.button===1&&Br(t,this.textarea,this.screenElement)}))}_bindKeys(){this._register(B(
this.textarea,"keyup",e=>this._keyUp(e),!0)),this._register(B(this.textarea,"keydown",e=>this._keyDown(e),!0)),this._register(B(this.textarea,"keypress",e=>this.
_keyPress(e),!0)),this._register(B(this.textarea,"compositionstart",()=>this._compositionHelper.compositionstart())),this._register(B(this.textarea,"composition\
update",e=>this._compositionHelper.compositionupdate(e))),this._register(B(this.textarea,"compositionend",()=>this._compositionHelper.compositionend())),this._register(
B(this.textarea,"input",e=>this._inputEvent(e),!0)),this._register(this.onRender(()=>this._compositionHelper.updateCompositionElements()))}open(e){if(!e)throw new Error(
"Terminal requires a parent element.");if(e.isConnected||this._logService.debug("Terminal.open was called on an element that was not attached to the DOM"),this.
element?.ownerDocument.defaultView&&this._coreBrowserService){this.element.ownerDocument.defaultView!==this._coreBrowserService.window&&(this._coreBrowserService.
window=this.element.ownerDocument.defaultView);return}this._document=e.ownerDocument,this.options.documentOverride&&this.options.documentOverride instanceof Document&&
(this._document=this.optionsService.rawOptions.documentOverride),this.element=this._document.createElement("div"),this.element.dir="ltr",this.element.classList.
add("terminal"),this.element.classList.add("xterm"),e.appendChild(this.element);let t=this._document.createDocumentFragment();this._viewportElement=this._document.
createElement("div"),this._viewportElement.classList.add("xterm-viewport"),t.appendChild(this._viewportElement),this.screenElement=this._document.createElement(
"div"),this.screenElement.classList.add("xterm-screen"),this._register(B(this.screenElement,"mousemove",r=>this.updateCursorStyle(r))),this._helperContainer=this.
_document.createElement("div"),this._helperContainer.classList.add("xterm-helpers"),this.screenElement.appendChild(this._helperContainer),t.appendChild(this.screenElement);
let i=this.textarea=this._document.createElement("textarea");this.textarea.classList.add("xterm-helper-textarea"),this.textarea.setAttribute("aria-label",Bi.get()),
gn||this.textarea.setAttribute("aria-multiline","false"),this.textarea.setAttribute("autocorrect","off"),this.textarea.setAttribute("autocapitalize","off"),this.
textarea.setAttribute("spellcheck","false"),this.textarea.tabIndex=0,this._register(this.optionsService.onSpecificOptionChange("disableStdin",()=>i.readOnly=this.
optionsService.rawOptions.disableStdin)),this.textarea.readOnly=this.optionsService.rawOptions.disableStdin,this._coreBrowserService=this._register(this._instantiationService.
createInstance(Uh,this.textarea,e.ownerDocument.defaultView??window,this._document??typeof window<"u"?window.document:null)),this._instantiationService.setService(
Oe,this._coreBrowserService),this._register(B(this.textarea,"focus",r=>this._handleTextAreaFocus(r))),this._register(B(this.textarea,"blur",()=>this._handleTextAreaBlur())),
this._helperContainer.appendChild(this.textarea),this._charSizeService=this._instantiationService.createInstance(Qi,this._document,this._helperContainer),this._instantiationService.
setService(ni,this._charSizeService),this._themeService=this._instantiationService.createInstance(ss),this._instantiationService.setService(nt,this._themeService),
this._characterJoinerService=this._instantiationService.createInstance(ei),this._instantiationService.setService(Ir,this._characterJoinerService),this._renderService=
this._register(this._instantiationService.createInstance(ts,this.rows,this.screenElement)),this._instantiationService.setService(Ie,this._renderService),this._register(
this._renderService.onRenderedViewportChange(r=>this._onRender.fire(r))),this.onResize(r=>this._renderService.resize(r.cols,r.rows)),this._compositionView=this.
_document.createElement("div"),this._compositionView.classList.add("composition-view"),this._compositionHelper=this._instantiationService.createInstance(Gi,this.
textarea,this._compositionView),this._helperContainer.appendChild(this._compositionView),this._mouseService=this._instantiationService.createInstance(es),this._instantiationService.
setService(us,this._mouseService);let s=this._linkifier.value=this._register(this._instantiationService.createInstance(ds,this.screenElement));this.element.appendChild(
t);try{this._onWillOpen.fire(this.element)}catch{}this._renderService.hasRenderer()||this._renderService.setRenderer(this._createRenderer()),this._register(this.
onCursorMove(()=>{this._renderService.handleCursorMove(),this._syncTextArea()})),this._register(this.onResize(()=>this._renderService.handleResize(this.cols,this.
rows))),this._register(this.onBlur(()=>this._renderService.handleBlur())),this._register(this.onFocus(()=>this._renderService.handleFocus())),this._viewport=this.
_register(this._instantiationService.createInstance(ji,this.element,this.screenElement)),this._register(this._viewport.onRequestScrollLines(r=>{super.scrollLines(
r,!1),this.refresh(0,this.rows-1)})),this._selectionService=this._register(this._instantiationService.createInstance(is,this.element,this.screenElement,s)),this.
_instantiationService.setService($n,this._selectionService),this._register(this._selectionService.onRequestScrollLines(r=>this.scrollLines(r.amount,r.suppressScrollEvent))),
this._register(this._selectionService.onSelectionChange(()=>this._onSelectionChange.fire())),this._register(this._selectionService.onRequestRedraw(r=>this._renderService.
handleSelectionChanged(r.start,r.end,r.columnSelectMode))),this._register(this._selectionService.onLinuxMouseSelection(r=>{this.textarea.value=r,this.textarea.focus(),
this.textarea.select()})),this._register(oe.any(this._onScroll.event,this._inputHandler.onScroll)(()=>{this._selectionService.refresh(),this._viewport?.queueSync()})),
this._register(this._instantiationService.createInstance(Xi,this.screenElement)),this._register(B(this.element,"mousedown",r=>this._selectionService.handleMouseDown(
r))),this.coreMouseService.areMouseEventsActive?(this._selectionService.disable(),this.element.classList.add("enable-mouse-events")):this._selectionService.enable(),
this.options.screenReaderMode&&(this._accessibilityManager.value=this._instantiationService.createInstance(si,this)),this._register(this.optionsService.onSpecificOptionChange(
"screenReaderMode",r=>this._handleScreenReaderModeOptionChange(r))),this.options.overviewRuler.width&&(this._overviewRulerRenderer=this._register(this._instantiationService.
createInstance(Qt,this._viewportElement,this.screenElement))),this.optionsService.onSpecificOptionChange("overviewRuler",r=>{!this._overviewRulerRenderer&&r&&this.
_viewportElement&&this.screenElement&&(this._overviewRulerRenderer=this._register(this._instantiationService.createInstance(Qt,this._viewportElement,this.screenElement)))}),
this._charSizeService.measure(),this.refresh(0,this.rows-1),this._initGlobal(),this.bindMouse()}_createRenderer(){return this._instantiationService.createInstance(
Zi,this,this._document,this.element,this.screenElement,this._viewportElement,this._helperContainer,this.linkifier)}bindMouse(){let e=this,t=this.element;function i(n){
let o=e._mouseService.getMouseReportCoords(n,e.screenElement);if(!o)return!1;let a,l;switch(n.overrideType||n.type){case"mousemove":l=32,n.buttons===void 0?(a=3,
n.button!==void 0&&(a=n.button<3?n.button:3)):a=n.buttons&1?0:n.buttons&4?1:n.buttons&2?2:3;break;case"mouseup":l=0,a=n.button<3?n.button:3;break;case"mousedown":
l=1,a=n.button<3?n.button:3;break;case"wheel":if(e._customWheelEventHandler&&e._customWheelEventHandler(n)===!1)return!1;let h=n.deltaY;if(h===0||e.coreMouseService.
consumeWheelEvent(n,e._renderService?.dimensions?.device?.cell?.height,e._coreBrowserService?.dpr)===0)return!1;l=h<0?0:1,a=4;break;default:return!1}return l===
void 0||a===void 0||a>4?!1:e.coreMouseService.triggerMouseEvent({col:o.col,row:o.row,x:o.x,y:o.y,button:a,action:l,ctrl:n.ctrlKey,alt:n.altKey,shift:n.shiftKey})}
let s={mouseup:null,wheel:null,mousedrag:null,mousemove:null},r={mouseup:n=>(i(n),n.buttons||(this._document.removeEventListener("mouseup",s.mouseup),s.mousedrag&&
this._document.removeEventListener("mousemove",s.mousedrag)),this.cancel(n)),wheel:n=>(i(n),this.cancel(n,!0)),mousedrag:n=>{n.buttons&&i(n)},mousemove:n=>{n.buttons||
i(n)}};this._register(this.coreMouseService.onProtocolChange(n=>{n?(this.optionsService.rawOptions.logLevel==="debug"&&this._logService.debug("Binding to mouse \
events:",this.coreMouseService.explainEvents(n)),this.element.classList.add("enable-mouse-events"),this._selectionService.disable()):(this._logService.debug("Un\
binding from mouse events."),this.element.classList.remove("enable-mouse-events"),this._selectionService.enable()),n&8?s.mousemove||(t.addEventListener("mousemo\
ve",r.mousemove),s.mousemove=r.mousemove):(t.removeEventListener("mousemove",s.mousemove),s.mousemove=null),n&16?s.wheel||(t.addEventListener("wheel",r.wheel,{passive:!1}),
s.wheel=r.wheel):(t.removeEventListener("wheel",s.wheel),s.wheel=null),n&2?s.mouseup||(s.mouseup=r.mouseup):(this._document.removeEventListener("mouseup",s.mouseup),
s.mouseup=null),n&4?s.mousedrag||(s.mousedrag=r.mousedrag):(this._document.removeEventListener("mousemove",s.mousedrag),s.mousedrag=null)})),this.coreMouseService.
activeProtocol=this.coreMouseService.activeProtocol,this._register(B(t,"mousedown",n=>{if(n.preventDefault(),this.focus(),!(!this.coreMouseService.areMouseEventsActive||
this._selectionService.shouldForceSelection(n)))return i(n),s.mouseup&&this._document.addEventListener("mouseup",s.mouseup),s.mousedrag&&this._document.addEventListener(
"mousemove",s.mousedrag),this.cancel(n)})),this._register(B(t,"wheel",n=>{if(!s.wheel){if(this._customWheelEventHandler&&this._customWheelEventHandler(n)===!1)return!1;
if(!this.buffer.hasScrollback){if(n.deltaY===0)return!1;if(e.coreMouseService.consumeWheelEvent(n,e._renderService?.dimensions?.device?.cell?.height,e._coreBrowserService?.
dpr)===0)return this.cancel(n,!0);let o=g.ESC+(this.coreService.decPrivateModes.applicationCursorKeys?"O":"[")+(n.deltaY<0?"A":"B");return this.coreService.triggerDataEvent(
o,!0),this.cancel(n,!0)}}},{passive:!1}))}refresh(e,t){this._renderService?.refreshRows(e,t)}updateCursorStyle(e){this._selectionService?.shouldColumnSelect(e)?
this.element.classList.add("column-select"):this.element.classList.remove("column-select")}_showCursor(){this.coreService.isCursorInitialized||(this.coreService.
isCursorInitialized=!0,this.refresh(this.buffer.y,this.buffer.y))}scrollLines(e,t){this._viewport?this._viewport.scrollLines(e):super.scrollLines(e,t),this.refresh(
0,this.rows-1)}scrollPages(e){this.scrollLines(e*(this.rows-1))}scrollToTop(){this.scrollLines(-this._bufferService.buffer.ydisp)}scrollToBottom(e){e&&this._viewport?
this._viewport.scrollToLine(this.buffer.ybase,!0):this.scrollLines(this._bufferService.buffer.ybase-this._bufferService.buffer.ydisp)}scrollToLine(e){let t=e-this.
_bufferService.buffer.ydisp;t!==0&&this.scrollLines(t)}paste(e){Dr(e,this.textarea,this.coreService,this.optionsService)}attachCustomKeyEventHandler(e){this._customKeyEventHandler=
e}attachCustomWheelEventHandler(e){this._customWheelEventHandler=e}registerLinkProvider(e){return this._linkProviderService.registerLinkProvider(e)}registerCharacterJoiner(e){
if(!this._characterJoinerService)throw new Error("Terminal must be opened first");let t=this._characterJoinerService.register(e);return this.refresh(0,this.rows-
1),t}deregisterCharacterJoiner(e){if(!this._characterJoinerService)throw new Error("Terminal must be opened first");this._characterJoinerService.deregister(e)&&
this.refresh(0,this.rows-1)}get markers(){return this.buffer.markers}registerMarker(e){return this.buffer.addMarker(this.buffer.ybase+this.buffer.y+e)}registerDecoration(e){
return this._decorationService.registerDecoration(e)}hasSelection(){return this._selectionService?this._selectionService.hasSelection:!1}select(e,t,i){this._selectionService.
setSelection(e,t,i)}getSelection(){return this._selectionService?this._selectionService.selectionText:""}getSelectionPosition(){if(!(!this._selectionService||!this.
_selectionService.hasSelection))return{start:{x:this._selectionService.selectionStart[0],y:this._selectionService.selectionStart[1]},end:{x:this._selectionService.
selectionEnd[0],y:this._selectionService.selectionEnd[1]}}}clearSelection(){this._selectionService?.clearSelection()}selectAll(){this._selectionService?.selectAll()}selectLines(e,t){
this._selectionService?.selectLines(e,t)}_keyDown(e){if(this._keyDownHandled=!1,this._keyDownSeen=!0,this._customKeyEventHandler&&this._customKeyEventHandler(e)===
!1)return!1;let t=this.browser.isMac&&this.options.macOptionIsMeta&&e.altKey;if(!t&&!this._compositionHelper.keydown(e))return this.options.scrollOnUserInput&&this.
buffer.ybase!==this.buffer.ydisp&&this.scrollToBottom(!0),!1;!t&&(e.key==="Dead"||e.key==="AltGraph")&&(this._unprocessedDeadKey=!0);let i=Ja(e,this.coreService.
decPrivateModes.applicationCursorKeys,this.browser.isMac,this.options.macOptionIsMeta);if(this.updateCursorStyle(e),i.type===3||i.type===2){let s=this.rows-1;return this.
scrollLines(i.type===2?-s:s),this.cancel(e,!0)}if(i.type===1&&this.selectAll(),this._isThirdLevelShift(this.browser,e)||(i.cancel&&this.cancel(e,!0),!i.key)||e.
key&&!e.ctrlKey&&!e.altKey&&!e.metaKey&&e.key.length===1&&e.key.charCodeAt(0)>=65&&e.key.charCodeAt(0)<=90)return!0;if(this._unprocessedDeadKey)return this._unprocessedDeadKey=
!1,!0;if((i.key===g.ETX||i.key===g.CR)&&(this.textarea.value=""),this._onKey.fire({key:i.key,domEvent:e}),this._showCursor(),this.coreService.triggerDataEvent(i.
key,!0),!this.optionsService.rawOptions.screenReaderMode||e.altKey||e.ctrlKey)return this.cancel(e,!0);this._keyDownHandled=!0}_isThirdLevelShift(e,t){let i=e.isMac&&
!this.options.macOptionIsMeta&&t.altKey&&!t.ctrlKey&&!t.metaKey||e.isWindows&&t.altKey&&t.ctrlKey&&!t.metaKey||e.isWindows&&t.getModifierState("AltGraph");return t.
type==="keypress"?i:i&&(!t.keyCode||t.keyCode>47)}_keyUp(e){this._keyDownSeen=!1,!(this._customKeyEventHandler&&this._customKeyEventHandler(e)===!1)&&(nl(e)||this.
focus(),this.updateCursorStyle(e),this._keyPressHandled=!1)}_keyPress(e){let t;if(this._keyPressHandled=!1,this._keyDownHandled||this._customKeyEventHandler&&this.
_customKeyEventHandler(e)===!1)return!1;if(this.cancel(e),e.charCode)t=e.charCode;else if(e.which===null||e.which===void 0)t=e.keyCode;else if(e.which!==0&&e.charCode!==
0)t=e.which;else return!1;return!t||(e.altKey||e.ctrlKey||e.metaKey)&&!this._isThirdLevelShift(this.browser,e)?!1:(t=String.fromCharCode(t),this._onKey.fire({key:t,
domEvent:e}),this._showCursor(),this.coreService.triggerDataEvent(t,!0),this._keyPressHandled=!0,this._unprocessedDeadKey=!1,!0)}_inputEvent(e){if(e.data&&e.inputType===
"insertText"&&(!e.composed||!this._keyDownSeen)&&!this.optionsService.rawOptions.screenReaderMode){if(this._keyPressHandled)return!1;this._unprocessedDeadKey=!1;
let t=e.data;return this.coreService.triggerDataEvent(t,!0),this.cancel(e),!0}return!1}resize(e,t){if(e===this.cols&&t===this.rows){this._charSizeService&&!this.
_charSizeService.hasValidSize&&this._charSizeService.measure();return}super.resize(e,t)}_afterResize(e,t){this._charSizeService?.measure()}clear(){if(!(this.buffer.
ybase===0&&this.buffer.y===0)){this.buffer.clearAllMarkers(),this.buffer.lines.set(0,this.buffer.lines.get(this.buffer.ybase+this.buffer.y)),this.buffer.lines.length=
1,this.buffer.ydisp=0,this.buffer.ybase=0,this.buffer.y=0;for(let e=1;e<this.rows;e++)this.buffer.lines.push(this.buffer.getBlankLine(Y));this._onScroll.fire({position:this.
buffer.ydisp}),this.refresh(0,this.rows-1)}}reset(){this.options.rows=this.rows,this.options.cols=this.cols;let e=this._customKeyEventHandler;this._setup(),super.
reset(),this._selectionService?.reset(),this._decorationService.reset(),this._customKeyEventHandler=e,this.refresh(0,this.rows-1)}clearTextureAtlas(){this._renderService?.
clearTextureAtlas()}_reportFocus(){this.element?.classList.contains("focus")?this.coreService.triggerDataEvent(g.ESC+"[I"):this.coreService.triggerDataEvent(g.ESC+
"[O")}_reportWindowsOptions(e){if(this._renderService)switch(e){case 0:let t=this._renderService.dimensions.css.canvas.width.toFixed(0),i=this._renderService.dimensions.
css.canvas.height.toFixed(0);this.coreService.triggerDataEvent(`${g.ESC}[4;${i};${t}t`);break;case 1:let s=this._renderService.dimensions.css.cell.width.toFixed(
0),r=this._renderService.dimensions.css.cell.height.toFixed(0);this.coreService.triggerDataEvent(`${g.ESC}[6;${r};${s}t`);break}}cancel(e,t){if(!(!this.options.
cancelEvents&&!t))return e.preventDefault(),e.stopPropagation(),!1}};function nl(e){return e.keyCode===16||e.keyCode===17||e.keyCode===18}var ol=class{constructor(){
this._addons=[]}dispose(){for(let e=this._addons.length-1;e>=0;e--)this._addons[e].instance.dispose()}loadAddon(e,t){let i={instance:t,dispose:t.dispose,isDisposed:!1};
this._addons.push(i),t.dispose=()=>this._wrappedAddonDispose(i),t.activate(e)}_wrappedAddonDispose(e){if(e.isDisposed)return;let t=-1;for(let i=0;i<this._addons.
length;i++)if(this._addons[i]===e){t=i;break}if(t===-1)throw new Error("Could not dispose an addon that has not been loaded");e.isDisposed=!0,e.dispose.apply(e.
instance),this._addons.splice(t,1)}},hl=class{constructor(e){this._line=e}get isWrapped(){return this._line.isWrapped}get length(){return this._line.length}getCell(e,t){
if(!(e<0||e>=this._line.length))return t?(this._line.loadCell(e,t),t):this._line.loadCell(e,new we)}translateToString(e,t,i){return this._line.translateToString(
e,t,i)}},xr=class{constructor(e,t){this._buffer=e,this.type=t}init(e){return this._buffer=e,this}get cursorY(){return this._buffer.y}get cursorX(){return this._buffer.
x}get viewportY(){return this._buffer.ydisp}get baseY(){return this._buffer.ybase}get length(){return this._buffer.lines.length}getLine(e){let t=this._buffer.lines.
get(e);if(t)return new hl(t)}getNullCell(){return new we}},al=class extends R{constructor(e){super(),this._core=e,this._onBufferChange=this._register(new v),this.
onBufferChange=this._onBufferChange.event,this._normal=new xr(this._core.buffers.normal,"normal"),this._alternate=new xr(this._core.buffers.alt,"alternate"),this.
_core.buffers.onBufferActivate(()=>this._onBufferChange.fire(this.active))}get active(){if(this._core.buffers.active===this._core.buffers.normal)return this.normal;
if(this._core.buffers.active===this._core.buffers.alt)return this.alternate;throw new Error("Active buffer is neither normal nor alternate")}get normal(){return this.
_normal.init(this._core.buffers.normal)}get alternate(){return this._alternate.init(this._core.buffers.alt)}},ll=class{constructor(e){this._core=e}registerCsiHandler(e,t){
return this._core.registerCsiHandler(e,i=>t(i.toArray()))}addCsiHandler(e,t){return this.registerCsiHandler(e,t)}registerDcsHandler(e,t){return this._core.registerDcsHandler(
e,(i,s)=>t(i,s.toArray()))}addDcsHandler(e,t){return this.registerDcsHandler(e,t)}registerEscHandler(e,t){return this._core.registerEscHandler(e,t)}addEscHandler(e,t){
return this.registerEscHandler(e,t)}registerOscHandler(e,t){return this._core.registerOscHandler(e,t)}addOscHandler(e,t){return this.registerOscHandler(e,t)}},cl=class{constructor(e){
this._core=e}register(e){this._core.unicodeService.register(e)}get versions(){return this._core.unicodeService.versions}get activeVersion(){return this._core.unicodeService.
activeVersion}set activeVersion(e){this._core.unicodeService.activeVersion=e}},dl=["cols","rows"],Ee=0,En=class extends R{constructor(e){super(),this._core=this.
_register(new rl(e)),this._addonManager=this._register(new ol),this._publicOptions={...this._core.options};let t=s=>this._core.options[s],i=(s,r)=>{this._checkReadonlyOptions(
s),this._core.options[s]=r};for(let s in this._core.options){let r={get:t.bind(this,s),set:i.bind(this,s)};Object.defineProperty(this._publicOptions,s,r)}}_checkReadonlyOptions(e){
if(dl.includes(e))throw new Error(`Option "${e}" can only be set in the constructor`)}_checkProposedApi(){if(!this._core.optionsService.rawOptions.allowProposedApi)
throw new Error("You must set the allowProposedApi option to true to use proposed API")}get onBell(){return this._core.onBell}get onBinary(){return this._core.onBinary}get onCursorMove(){
return this._core.onCursorMove}get onData(){return this._core.onData}get onKey(){return this._core.onKey}get onLineFeed(){return this._core.onLineFeed}get onRender(){
return this._core.onRender}get onResize(){return this._core.onResize}get onScroll(){return this._core.onScroll}get onSelectionChange(){return this._core.onSelectionChange}get onTitleChange(){
return this._core.onTitleChange}get onWriteParsed(){return this._core.onWriteParsed}get element(){return this._core.element}get parser(){return this._parser||(this.
_parser=new ll(this._core)),this._parser}get unicode(){return this._checkProposedApi(),new cl(this._core)}get textarea(){return this._core.textarea}get rows(){return this.
_core.rows}get cols(){return this._core.cols}get buffer(){return this._buffer||(this._buffer=this._register(new al(this._core))),this._buffer}get markers(){return this.
_checkProposedApi(),this._core.markers}get modes(){let e=this._core.coreService.decPrivateModes,t="none";switch(this._core.coreMouseService.activeProtocol){case"\
X10":t="x10";break;case"VT200":t="vt200";break;case"DRAG":t="drag";break;case"ANY":t="any";break}return{applicationCursorKeysMode:e.applicationCursorKeys,applicationKeypadMode:e.
applicationKeypad,bracketedPasteMode:e.bracketedPasteMode,insertMode:this._core.coreService.modes.insertMode,mouseTrackingMode:t,originMode:e.origin,reverseWraparoundMode:e.
reverseWraparound,sendFocusMode:e.sendFocus,synchronizedOutputMode:e.synchronizedOutput,wraparoundMode:e.wraparound}}get options(){return this._publicOptions}set options(e){
for(let t in e)this._publicOptions[t]=e[t]}blur(){this._core.blur()}focus(){this._core.focus()}input(e,t=!0){this._core.input(e,t)}resize(e,t){this._verifyIntegers(
e,t),this._core.resize(e,t)}open(e){this._core.open(e)}attachCustomKeyEventHandler(e){this._core.attachCustomKeyEventHandler(e)}attachCustomWheelEventHandler(e){
this._core.attachCustomWheelEventHandler(e)}registerLinkProvider(e){return this._core.registerLinkProvider(e)}registerCharacterJoiner(e){return this._checkProposedApi(),
this._core.registerCharacterJoiner(e)}deregisterCharacterJoiner(e){this._checkProposedApi(),this._core.deregisterCharacterJoiner(e)}registerMarker(e=0){return this.
_verifyIntegers(e),this._core.registerMarker(e)}registerDecoration(e){return this._checkProposedApi(),this._verifyPositiveIntegers(e.x??0,e.width??0,e.height??0),
this._core.registerDecoration(e)}hasSelection(){return this._core.hasSelection()}select(e,t,i){this._verifyIntegers(e,t,i),this._core.select(e,t,i)}getSelection(){
return this._core.getSelection()}getSelectionPosition(){return this._core.getSelectionPosition()}clearSelection(){this._core.clearSelection()}selectAll(){this._core.
selectAll()}selectLines(e,t){this._verifyIntegers(e,t),this._core.selectLines(e,t)}dispose(){super.dispose()}scrollLines(e){this._verifyIntegers(e),this._core.scrollLines(
e)}scrollPages(e){this._verifyIntegers(e),this._core.scrollPages(e)}scrollToTop(){this._core.scrollToTop()}scrollToBottom(){this._core.scrollToBottom()}scrollToLine(e){
this._verifyIntegers(e),this._core.scrollToLine(e)}clear(){this._core.clear()}write(e,t){this._core.write(e,t)}writeln(e,t){this._core.write(e),this._core.write(
`\r
`,t)}paste(e){this._core.paste(e)}refresh(e,t){this._verifyIntegers(e,t),this._core.refresh(e,t)}reset(){this._core.reset()}clearTextureAtlas(){this._core.clearTextureAtlas()}loadAddon(e){
this._addonManager.loadAddon(this,e)}static get strings(){return{get promptLabel(){return Bi.get()},set promptLabel(e){Bi.set(e)},get tooMuchOutput(){return Ri.
get()},set tooMuchOutput(e){Ri.set(e)}}}_verifyIntegers(...e){for(Ee of e)if(Ee===1/0||isNaN(Ee)||Ee%1!==0)throw new Error("This API only accepts integers")}_verifyPositiveIntegers(...e){
for(Ee of e)if(Ee&&(Ee===1/0||isNaN(Ee)||Ee%1!==0||Ee<0))throw new Error("This API only accepts positive integers")}};var _l=5e3,ul=[0,1,2,4,7,8,9,10,11,12,52,104,110,111,112,133,777,1337];function qd(e,t,i){let s=new En({scrollback:_l,fontSize:t,fontFamily:"ui-monospace, 'SF M\
ono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",screenReaderMode:i,cursorBlink:!1,convertEol:!1,allowProposedApi:!1,linkHandler:{activate:()=>{}},windowOptions:{},
theme:{background:"#14130f",foreground:"#ece8e1",cursor:"#ece8e1",selectionBackground:"#5b4a3d"}});for(let n of ul)s.parser.registerOscHandler(n,()=>!0);s.parser.
registerCsiHandler({final:"t"},()=>!0),s.parser.registerCsiHandler({prefix:">",final:"q"},()=>!0),s.parser.registerCsiHandler({intermediates:"$",final:"p"},()=>!0),
s.parser.registerCsiHandler({prefix:"?",intermediates:"$",final:"p"},()=>!0),s.parser.registerDcsHandler({intermediates:"$",final:"q"},()=>!0),s.parser.registerDcsHandler(
{intermediates:"+",final:"q"},()=>!0);let r=new ys;return s.loadAddon(r),fl(()=>s.open(e)),{terminal:s,fit:r}}function fl(e){let t=document.createElement.bind(document),
i=(s,r)=>s==="style"?pl(t):t(s,r);document.createElement=i;try{e()}finally{Reflect.deleteProperty(document,"createElement")}}function pl(e){let t=e("corten-styl\
e");t.hidden=!0;let i=new CSSStyleSheet;document.adoptedStyleSheets=[...document.adoptedStyleSheets,i];let s="";return Object.defineProperty(t,"textContent",{get:()=>s,
set:r=>{s=r,i.replaceSync(r)}}),t.remove=()=>{document.adoptedStyleSheets=document.adoptedStyleSheets.filter(r=>r!==i),Element.prototype.remove.call(t)},t}function Vd(e){
let{buffer:t}=e,i=[];for(let s=0;s<t.active.length;s+=1)i.push(t.active.getLine(s)?.translateToString(!0)??"");return i.join(`
`).trimEnd()+`
`}function Yd(e,t,i){let{active:s}=e.buffer,r=t.toLowerCase();for(let n=1;n<=s.length;n+=1){let o=(i-n+s.length*2)%s.length,l=(s.getLine(o)?.translateToString(!0)??
"").toLowerCase().indexOf(r);if(!(l<0))return e.scrollToLine(Math.max(0,o-Math.floor(e.rows/2))),e.select(l,o,t.length),o}return-1}export{ys as FitAddon,En as Terminal,Yd as find,qd as terminal,Vd as textOf,fl as withoutStyleElements};
