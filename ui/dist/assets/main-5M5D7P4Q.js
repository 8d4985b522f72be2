var ne,Tr,uo,lt,lo,Tn,Er,Sn,Mr,po,co,Ni,Qt=Symbol.for("pv"),En={},Mn=[],Oi=/^m(i|n|o|s|text|space)$/,fo=Array.isArray,mo=Mn.slice,vt=Object.assign;function bt(e){
e&&e.parentNode&&e.remove()}function An(e,n,o){var r,s,a,i={},l=arguments.length;for(a in n)a=="key"?r=n[a]:a=="ref"&&typeof e!="function"?s=n[a]:i[a]=n[a];return l>
2&&(i.children=l>3?mo.call(arguments,2):o),Yt(e,i,r,s,null)}function Yt(e,n,o,r,s){var a={type:e,props:n,key:o,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Qt,__v:s||++Tr,__i:-1,__u:0};return!s&&ne.vnode&&ne.
vnode(a),a}function x(e){return e.children}function ct(e,n){this.props=e,this.context=n,this.__g=0}function ut(e,n){if(n==null)return e.__&&ut(e.__,e.__i+1);for(var o;n<e.
__k.length;n++)if((o=e.__k[n])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:ut(e)}function Ri(e){var n,o=e.__v,r=o.__e,s=[],a=[],i=e.__P;
i&&((n=vt({constructor:Qt},o)).__v=o.__v+1,ne.vnode&&ne.vnode(n),ho(i,n,o,e.__n,i.namespaceURI,32&o.__u?[r]:null,s,r||ut(o),32&o.__u,a),n.__v=o.__v,n.__.__k[n.__i]=
n,Lr(s,n,a),o.__=o.__e=null,n.__e!=r&&Ar(n))}function Ar(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),
Ar(e)}function Sr(e){(8&e.__g||(e.__g|=8,lt.push(e),Tn++))&&lo==ne.debounceRendering||((lo=ne.debounceRendering)||queueMicrotask)(Pr)}function Pr(){try{for(var e,
n=1;lt.length;)lt.length>n&&lt.sort(Er),e=lt.shift(),n=lt.length,8&e.__g&&Ri(e)}finally{(Tn=lt.length)&&(lo||queueMicrotask)(Pr)}}function Nr(e,n,o,r,s,a,i,l,c,d,u){
var p,f,m,h,_,$,T=r.__k||Mn,y=n.length;for(c=Li(o,n,T,c,y),p=0;p<y;p++)(m=o.__k[p])!=null&&(f=~m.__i&&T[m.__i]||En,m.__i=p,$=ho(e,m,f,s,a,i,l,c,d,u),h=m.__e,(f.
ref!=m.ref||8&f.__u)&&(f.ref&&go(f.ref,null,m,f),m.ref&&u.push(m.ref,m.__c||h,m)),_=_||h,4&m.__u?(c=Or(m,c,e,!f.__v),f.__e&&(f.__e=null)):typeof m.type=="functi\
on"&&$!==void 0?c=$:h&&(c=h.nextSibling),m.__u&=-21);return o.__e=_,c}function Li(e,n,o,r,s){var a,i,l,c,d,u,p,f,m,h=o.length,_=h,$=0,T=0,y=e.__k=Array(s);for(a=
0;a<s;a++)(i=n[a])!=null&&typeof i!="boolean"&&typeof i!="function"?(typeof i!="object"||i.constructor===String?i=y[a]=Yt(null,i):fo(i)?i=y[a]=Yt(x,{children:i}):
i.constructor===Qt&&i.__b?i=y[a]=Yt(i.type,i.props,i.key,i.ref,i.__v):y[a]=i,c=a+$,i.__=e,i.__b=e.__b+1,l=null,~(d=i.__i=Di(i,o,c,_))&&(_--,(l=o[d])&&(l.__u|=2)),
l&&l.__v?(i.__u|=16,d==c-1?$--:d==c+1?$++:d!=c&&(d>c?$--:$++,T=1)):(~d||(s>h?$--:s<h&&$++),typeof i.type!="function"&&(i.__u|=4))):y[a]=null;if(T){for(u=[],p=[],
a=0;a<s;a++)if((i=y[a])&&16&i.__u){for($=0,f=u.length;$<f;)u[m=$+f>>1]<i.__i?$=m+1:f=m;u[$]=i.__i,p[a]=$+1}for($=u.length;a--;)p[a]&&(p[a]==$?$--:y[a].__u|=4)}if(_)
for(a=0;a<h;a++)!(l=o[a])||2&l.__u||(l.__e==r&&(r=ut(l)),bo(l,l));return r}function Or(e,n,o,r){var s,a,i,l;if(typeof e.type=="function"){if(e.props.__P)return n;
if(s=e.__k)for(a=0;a<s.length;a++)s[a]&&(s[a].__=e,n=Or(s[a],n,o,!1));return n}for(n&&!n.parentNode&&(n=ut(e))&&!n.parentNode&&(n=null),i=e.__e,l=n;l&&l.nodeType==
8;)l=l.nextSibling;for(i!=l&&(!r&&o.moveBefore&&i.parentNode?o.moveBefore(i,n):o.insertBefore(i,n||null)),n=i;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith(
"$s"););return n}function Di(e,n,o,r){var s,a=e.key,i=e.type,l=n[o],c=l&&!(2&l.__u);if(l===null&&a==null||c&&a==l.key&&i==l.type)return o;if(r>(c?1:0)){for(s=o-1;s>=0;s--)if((l=
n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s;for(s=o+1;s<n.length;s++)if((l=n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s}return-1}function Cr(e,n,o){o==null&&
(o=""),n[0]=="-"?e.setProperty(n,o):e[n]=o}function $n(e,n,o,r,s){var a,i;if(n=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof r=="string"&&(e.style.
cssText=r=""),r)for(n in r)o&&n in o||Cr(e.style,n);if(o)for(n in o)r&&o[n]==r[n]||Cr(e.style,n,o[n])}else if(n[0]=="o"&&n[1]=="n")typeof o!="function"&&(o=null),
typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[n]=o,o&&r||(i=co[n]||(co[n]=Ii(n)),(e.__a||(e.__a={}))[n]=po,a=n!=(n=n.replace(Mr,"$1")),(n=n.slice(2))[0]<"a"&&
(n=n.toLowerCase()),o?e.addEventListener(n,i,a):e.removeEventListener(n,i,a));else{if(s=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)
try{return void(e[n]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&o==1?"":o)}}function Ii(e){
return function(n){var o=this.__e;if(o){if(o=o[e],n[Sn]==null)n[Sn]=po++;else if(n[Sn]<this.__a[e])return;return o(ne.event?ne.event(n):n)}}}function ho(e,n,o,r,s,a,i,l,c,d){
var u,p,f,m,h,_,$,T,y,v,w,P,k,R,C,H,A,ee,ce=n.type;if(n.constructor!==Qt)return null;128&o.__u&&(c=32&o.__u,u=o.__c.__z)&&(n.__u|=c,p=a=[],u.nodeType==8?l=Cn(u,
a):a.push(u),l=a[0]||l),(u=ne.__b)&&u(n);e:if(typeof ce=="function"){f=i.length;try{if(T=n.props,y=(u=ce.prototype)&&u.render,v=(u=ce.contextType)&&r[u.__c],w=u?
v?v.props.value:u.__:r,(m=o.__c)?(n.__c=m,2&m.__g&&(m.__g|=1)):(y?n.__c=m=new ce(T,w):(n.__c=m=new ct(T,w),m.constructor=ce,m.render=qi),v&&v.sub(m),m.state||(m.
state={}),m.__n=r,m.__g|=8,m.__h=[],m.__k=[]),y&&(m.__s||(m.__s=m.state),ce.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=vt({},m.__s)),vt(m.__s,ce.getDerivedStateFromProps(
T,m.__s)))),h=m.props,_=m.state,m.__v=n,o.__c){if(T!==h&&y&&!ce.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(T,w),n.__v==o.
__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(T,m.__s,w)===!1){n.__v!=o.__v&&(m.props=T,m.state=m.__s,m.__g&=-9),n.__e=o.__e,n.__k=
o.__k,n.__k.some(function(D){D&&(D.__=n)}),Mn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&i.push(m),l=ut(o);break e}m.componentWillUpdate&&m.componentWillUpdate(
T,m.__s,w),y&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(h,_,$)})}else y&&!ce.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),
y&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=w,m.props=T,m.__P=e,m.__g&=-5,P=ne.__r,k=y?25:0;do m.__g&=-9,P&&P(n),u=m.render(m.props,m.state=
m.__s,m.context);while(8&m.__g&&++k<25);y&&(Mn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(r=vt({},r,m.getChildContext())),y&&o.__c&&m.getSnapshotBeforeUpdate&&
($=m.getSnapshotBeforeUpdate(h,_)),R=u&&u.type===x&&u.key==null?u.props.children:u,T.__P&&(u=l,s=(e=T.__P).namespaceURI,c=a=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(D){D&&bo(D,D)}),o.__k=null),l=o.__k?ut(o,0):null),l=Nr(e,fo(R)?R:[R],n,o,r,s,a,i,l,c,d),T.__P&&(n.__e=null,l=u),n.__u&=-161,p&&p.some(bt),m.__h.length&&
i.push(m),1&m.__g&&(m.__g&=-4)}catch(D){if(i.length=f,n.__v=null,c||a)if(D&&D.then){if(n.__u|=128|c,a){for(~(A=a.indexOf(l||void 0))||(A=a.length);(ee=a[A-1])&&
ee.nodeType==8;)A--;for(;A<a.length;A++)if(ee=a[A])if(a[A]=null,C){if(ee==H)break}else{if(ee.nodeType!=8)break;ee.data.startsWith("$s")&&(H=Cn(C=ee))}}if(!C){for(;l&&
l.nodeType==8&&l.nextSibling;)l=l.nextSibling;C=l}(u=Cn(C=n.__c.__z||(n.__c.__z=C)))?(n.__e=C,l=u):n.__e=l,l=l&&l.nextSibling}else a&&a.some(bt);else n.__e=o.__e;
n.__k||(n.__k=o.__k||[]),D&&D.then||Rr(n),ne.__e(D,n,o)}}else l=n.__e=Bi(o.__e,n,o,r,s,a,i,c,d,e);return(u=ne.diffed)&&u(n),l}function Cn(e,n){if(e&&e.nodeType==
8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)return e}n&&n.push(
e)}}function Rr(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Rr))}function Lr(e,n,o){for(var r=0;r<o.length;)go(o[r++],o[r++],o[r++]);ne.__c&&ne.__c(n,e),e.some(
function(s){try{e=s.__h,s.__h=[],e.some(function(a){a.call(s)})}catch(a){ne.__e(a,s.__v)}})}function Bi(e,n,o,r,s,a,i,l,c,d){var u,p,f,m,h,_,$,T,y=o.props||En,v=n.
props,w=n.type;if(w=="svg"?s="http://www.w3.org/2000/svg":w=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),a){for(u=0;u<a.
length;u++)if((h=a[u])&&(w?h.localName==w:h.nodeType==3)){e=h,a[u]=null;break}}if(!e){if(T=d.ownerDocument||document,!w)return T.createTextNode(v);e=T.createElementNS(
s,w,v.is?v:d),l&&(ne.__m&&ne.__m(n,a),l=!1),a=null}if(w){if(d=w=="template"&&e.content||e,a=w=="textarea"&&v.defaultValue!=null?null:a&&mo.call(d.childNodes),!l&&
a)for(y={},u=0;u<e.attributes.length;u++)y[(h=e.attributes[u]).name]=h.value;for(u in y)h=y[u],u=="dangerouslySetInnerHTML"?f=h:u=="children"||u in v||u=="value"&&
"defaultValue"in v||u=="checked"&&"defaultChecked"in v||$n(e,u,null,h,s);for(u in v)h=v[u],u=="children"?m=h:u=="dangerouslySetInnerHTML"?p=h:u=="value"?_=h:u==
"checked"?$=h:l&&typeof h!="function"||y[u]===h||$n(e,u,h,y[u],s);p?(l||f&&(p.__html==f.__html||p.__html==e.innerHTML)||(e.innerHTML=p.__html),n.__k=[]):(f&&(e.
textContent=""),(w=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&Oi.test(w))&&(s="http://www.w3.org/1999/xhtml"),Nr(d,fo(m)?m:[m],n,o,r,s,a,i,a?a[0]:
o.__k&&ut(o,0),l,c),a&&a.some(bt)),l&&w!="textarea"||(u="value",w=="progress"&&_==null?e.removeAttribute(u):_==null||_===e[u]&&(w!="progress"||_)||$n(e,u,_,y[u],
s),u="checked",$!=null&&$!=e[u]&&$n(e,u,$,y[u],s))}else y===v||l&&e.data==v||(e.data=v);return e}function go(e,n,o,r){try{typeof e=="function"?n?n.__x=e(n)||1:r&&
(r=r.__c||r.__e)&&(n=r.__x)&&(r.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(s){ne.__e(s,o)}}function bo(e,n,o){var r,s,a,i;if(ne.unmount&&ne.unmount(
e),!(r=e.ref)||r.current&&r.current!=e.__e||go(r,null,n,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(l){ne.__e(l,n)}r.__P=r.__n=null}
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&bo(r[i],n,typeof e.type!="function"||o&&!e.props.__P);!o&&(r=e.__c)&&(r=r.__z)&&(s=Cn(r,a=[]))&&(r==e.__e&&a.some(bt),bt(
s),bt(r)),o||bt(e.__e),e.__e=e.__c=e.__=null}function qi(e,n,o){return this.constructor(e,o)}function Dr(e,n){var o,r,s,a;ne.__&&ne.__(e,n),n.nodeType==9&&(n=n.
documentElement),r=(o=e&&32&e.__u)?null:n.__k,n.__k=Yt(x,{children:[e]}),s=[],a=[],ho(n,n.__k,r||En,En,n.namespaceURI,r?null:n.firstChild?mo.call(n.childNodes):
null,s,r?r.__e:n.firstChild,o,a),Lr(s,n.__k,a),n.__k.props.children=null}ne={__e:function(e,n,o,r){for(var s,a,i;n=n.__;)if((s=n.__c)&&!(1&s.__g)){s.__g|=4;try{if((i=(a=s.constructor)&&a.getDerivedStateFromError)&&s.setState(a.getDerivedStateFromError(
e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),i=1),i&&8&s.__g)return void(s.__g|=2)}catch(l){e=l}}throw Tn=0,e}},Tr=0,uo=function(e){return e!=null&&e.
constructor===Qt},ct.prototype.setState=function(e,n){var o=this.__s;o&&o!=this.state||(o=this.__s=vt({},this.state)),typeof e=="function"&&(e=e(vt({},o),this.props)),
e&&(vt(o,e),this.__v&&(n&&this.__k.push(n),Sr(this)))},ct.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Sr(this))},ct.prototype.render=
x,lt=[],Tn=0,Er=function(e,n){return e.__v.__b-n.__v.__b},Sn=Symbol(),Mr=/(PointerCapture)$|Capture$/i,po=0,co={},Ni=0;var yt,ye,vo,Ir,yo=Object.is,Pn=0,Jr=[],wo=[],ve=ne,Br=ve.__b,qr=ve.__r,Fr=ve.diffed,jr=ve.__c,Wr=ve.unmount,Ur=ve.__;function Xt(e,n){ve.__h&&ve.__h(ye,e,Pn||n),
Pn=0;var o=ye.__H||(ye.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function g(e){return Pn=1,Fi(Vr,e)}function Fi(e,n,o){var r=Xt(yt++,2);if(r.
t=e,!r.__c&&(r.__=[o?o(n):Vr(void 0,n),function(a){var i=(r.__N||r.__)[0],l=r.t(i,a);yo(i,l)||(r.__N=[l,r.__[1]],r.__c.setState({}))}],r.__c=ye,!ye.__f)){ye.__f=
!0;var s=ye.shouldComponentUpdate;ye.shouldComponentUpdate=function(a,i,l){var c=this.__H;if(!c)return!0;var d=!1,u=this.props!=a;if(c.__.some(function(f){f.__N&&
(d=!0,yo(f.__[0],f.__N[0])||(u=!0))}),s){var p=s.call(this,a,i,l);return d?p||u:p}return!d||u}}return r.__}function L(e,n){var o=Xt(yt++,3);!ve.__s&&_o(o.__H,n)&&
(o.__P=!0,o.__=e,o.u=n,ye.__H.__h.push(o))}function Ke(e,n){var o=Xt(yt++,4);!ve.__s&&_o(o.__H,n)&&(o.__P=!1,o.__=e,o.u=n,ye.__h.push(o))}function Y(e){return Pn=
5,Je(function(){return{current:e}},[])}function Je(e,n){var o=Xt(yt++,7);return _o(o.__H,n)&&(o.__=e(),o.__H=n),o.__}function Xe(){var e=Xt(yt++,11);if(!e.__){for(var n=ye.__v;!n.__m&&n.__;)n=n.__;var o=n.__m||(n.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function ji(){var e;
do{for(;e=wo.shift();)try{Zt(e)}catch(o){ve.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=Jr.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(Zt),n.__h.some(ko),n.__h=[]}catch(o){
n.__h=[],ve.__e(o,e.__v)}}}while(wo.length)}ve.__b=function(e){ye=null,Br&&Br(e)},ve.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),Ur&&Ur(e,n)},ve.__r=
function(e){qr&&qr(e),yt=0;var n=(ye=e.__c).__H;n&&(vo==ye?ye.__h=[]:(n.__h.some(Zt),n.__h.some(ko),yt=0),n.__h=[],n.__.some(function(o){o.__N&&(o.__=o.__N),o.u=
o.__N=void 0})),vo=ye},ve.diffed=function(e){Fr&&Fr(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&Kr(Jr.push(n)),n.__H.__.some(function(o){o.u&&(o.__H=o.u)})),vo=
ye=null},ve.__c=function(e,n){n.some(function(o){try{o.__h.some(Zt),o.__h=o.__h.filter(function(r){return!r.__||ko(r)})}catch(r){o.__h=[function(){throw r}]}}),
jr&&jr(e,n)},ve.unmount=function(e){Wr&&Wr(e);var n,o,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.
__c.__P);)o=o.__;o=o&&o.__c}s.__P=o,Kr(wo.push(s))}else Zt(s)}catch(a){n=a}}),r.__H=void 0,n&&ve.__e(n,r.__v))};var Hr=typeof requestAnimationFrame=="function";
function Wi(e){var n,o=function(){clearTimeout(r),Hr&&cancelAnimationFrame(n),setTimeout(e)},r=setTimeout(o,35);Hr&&(n=requestAnimationFrame(o))}function Kr(e){
e!=1&&Ir==ve.requestAnimationFrame||((Ir=ve.requestAnimationFrame)||Wi)(ji)}function Zt(e){var n=ye,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),ye=n}function ko(e){
var n=ye;e.__c=e.__(),ye=n}function _o(e,n){return!e||e.length!=n.length||n.some(function(o,r){return!yo(o,e[r])})}function Vr(e,n){return typeof n=="function"?
n(e):n}var Ui=Symbol.for("preact-signals");function Ln(){if(et>1)et--;else{var e,n=!1;for((function(){var s=On;for(On=void 0;s!==void 0;){var a=s.S;if(a.v===s.v)for(var i=a.
t;i!==void 0;i=i.x)i.i===s.i&&(i.i=a.i);s=s.o}})();tn!==void 0;){var o=tn;for(tn=void 0,Nn++;o!==void 0;){var r=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&zr(o))try{o.
c()}catch(s){n||(e=s,n=!0)}o=r}}if(Nn=0,et--,n)throw e}}function Pt(e){if(et>0)return e();xo=++Hi,et++;try{return e()}finally{Ln()}}var en,fe=void 0;function nn(e){
var n=fe,o=en;fe=void 0,en=void 0;try{return e()}finally{fe=n,en=o}}var tn=void 0,et=0,Nn=0,Hi=0,xo=0,On=void 0,Rn=0;function Gr(e){if(fe!==void 0){var n=e.n;if(n===
void 0||n.t!==fe)return n={i:0,S:e,p:fe.s,n:void 0,t:fe,e:void 0,x:void 0,r:n},fe.s!==void 0&&(fe.s.n=n),fe.s=n,e.n=n,32&fe.f&&e.S(n),n;if(n.i===-1)return n.i=0,
n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=fe.s,n.n=void 0,fe.s.n=n,fe.s=n),n}}function Ce(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=
0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}Ce.prototype.brand=Ui;Ce.prototype.h=function(){return!0};Ce.prototype.S=function(e){var n=this,o=this.
t;o!==e&&e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:nn(function(){var r;(r=n.W)==null||r.call(n)}))};Ce.prototype.U=function(e){var n=this;if(this.t!==void 0){
var o=e.e,r=e.x;o!==void 0&&(o.x=r,e.e=void 0),r!==void 0&&(r.e=o,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&nn(function(){var s;(s=n.Z)==null||s.call(n)}))}};
Ce.prototype.subscribe=function(e){var n=this;return Ve(function(){var o=n.value;nn(function(){return e(o)})},{name:"sub"})};Ce.prototype.valueOf=function(){return this.
value};Ce.prototype.toString=function(){return this.value+""};Ce.prototype.toJSON=function(){return this.value};Ce.prototype.peek=function(){var e=this;return nn(
function(){return e.value})};Object.defineProperty(Ce.prototype,"value",{get:function(){var e=Gr(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==
this.v){if(Nn>100)throw new Error("Cycle detected");(function(o){et!==0&&Nn===0&&o.l!==xo&&(o.l=xo,On={S:o,v:o.v,i:o.i,o:On})})(this),this.v=e,this.i++,Rn++,et++;
try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{Ln()}}}});function G(e,n){return new Ce(e,n)}function zr(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||
!n.S.h()||n.S.i!==n.i)return!0;return!1}function Yr(e){for(var n=e.s;n!==void 0;n=n.n){var o=n.S.n;if(o!==void 0&&(n.r=o),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}
function Qr(e){for(var n=e.s,o=void 0;n!==void 0;){var r=n.p;n.i===-1?(n.S.U(n),r!==void 0&&(r.n=n.n),n.n!==void 0&&(n.n.p=r)):o=n,n.S.n=n.r,n.r!==void 0&&(n.r=
void 0),n=r}e.s=o}function wt(e,n){Ce.call(this,void 0,n),this.x=e,this.s=void 0,this.g=Rn-1,this.f=4}wt.prototype=new Ce;wt.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Rn))return!0;if(this.g=Rn,this.f|=1,this.i>0&&!zr(this))return this.f&=-2,!0;var e=fe;try{Yr(this),fe=
this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return fe=e,Qr(this),this.f&=-2,!0};
wt.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}Ce.prototype.S.call(this,e)};wt.prototype.U=function(e){if(this.
t!==void 0&&(Ce.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};wt.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(wt.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Gr(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function kt(e,n){return new wt(e,n)}function Zr(e){var n=e.j;if(e.j=void 0,typeof n==
"function"){et++;var o=fe;fe=void 0;try{n()}catch(r){throw e.f&=-2,e.f|=8,$o(e),r}finally{fe=o,Ln()}}}function $o(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=
void 0,e.s=void 0,Zr(e)}function Ki(e){if(fe!==this)throw new Error("Out-of-order effect");Qr(this),fe=e,this.f&=-2;try{8&this.f&&$o(this)}finally{Ln()}}function Nt(e,n){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,en&&en.push(this)}Nt.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};Nt.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,Zr(this),Yr(this),et++;var e=fe;return fe=this,Ki.bind(this,e)};Nt.prototype.N=function(){2&this.f||(this.f|=2,this.u=tn,tn=this)};Nt.prototype.d=function(){
this.f|=8,1&this.f||$o(this)};Nt.prototype.dispose=function(){this.d()};function Ve(e,n){var o=new Nt(e,n);try{o.c()}catch(s){throw o.d(),s}var r=o.d.bind(o);return r[Symbol.
dispose]=r,r}var So,rn,Dn,Ji=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,Xr=[],es=[];Ve(function(){So=this.N})();function Ot(e,n){ne[e]=n.bind(null,ne[e]||function(){})}
function on(e){if(Dn){var n=Dn;Dn=void 0,n()}Dn=e&&e.S()}function ts(e){var n=this,o=e.data,r=Rt(o);r.name="ReactiveDom",r.value=o;var s=Je(function(){for(var l=n,
c=n.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var d=kt(function(){var m=r.value.value;return m===0?0:m===!0?"":m||""}),u=kt(function(){return!Array.isArray(d.value)&&
!uo(d.value)}),p=Ve(function(){if(this.N=ns,u.value){var m=d.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=m)}}),f=n.__$u.d;return n.__$u.d=function(){
p(),f.call(this)},[u,d]},[]),a=s[0],i=s[1];return a.value?i.peek():i.value}ts.displayName="ReactiveTextNode";Object.defineProperties(Ce.prototype,{constructor:{
configurable:!0,value:An(x,null).constructor},type:{configurable:!0,value:ts},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.
value}}}}},__b:{configurable:!0,value:1}});Ot("__b",function(e,n){if(on(),rn=void 0,typeof n.type=="string"){var o,r=n.props;for(var s in r)if(s!=="children"){var a=r[s];
a instanceof Ce&&(o||(n.__np=o={}),o[s]=a,r[s]=a.peek())}}e(n)});Ot("__r",function(e,n){if(e(n),n.type!==x){on();var o,r=n.__c;r&&(r.__$f&=-2,(o=r.__$u)===void 0&&
(r.__$u=o=(function(s,a){var i;return Ve(function(){i=this},{name:a}),i.c=s,i})((function(s){return function(){var a;Ji&&((a=this.y)==null||a.call(this)),s.__$f|=
1,s.setState({})}})(r),typeof n.type=="function"?n.type.displayName||n.type.name:""))),rn=r,on(o)}});Ot("__e",function(e,n,o,r){on(),rn=void 0,e(n,o,r)});Ot("di\
ffed",function(e,n){on(),rn=void 0;var o;if(typeof n.type=="string"&&(o=n.__e)){var r=n.__np,s=n.props,a=o.U;if(a)for(var i in a){var l=a[i];l===void 0||r&&i in
r||(l.d(),a[i]=void 0)}if(r){a||(a={},o.U=a);for(var c in r){var d=a[c],u=r[c];d===void 0?(d=Vi(o,c,u,s),a[c]=d):d.o(u,s)}}}e(n)});function Vi(e,n,o,r){var s=n in
e&&e.ownerSVGElement===void 0,a=G(o);return{o:function(i,l){a.value=i,r=l},d:Ve(function(){this.N=ns;var i=a.value.value;r[n]!==i&&(r[n]=i,s?e[n]=i:i!=null&&(i!==
!1||n[4]==="-")?e.setAttribute(n,i):e.removeAttribute(n))})}}Ot("unmount",function(e,n){if(typeof n.type=="string"){var o=n.__e;if(o){var r=o.U;if(r){o.U=void 0;
for(var s in r){var a=r[s];a&&a.d()}}}var i=n.__np;if(i){var l=n.props;for(var c in i)l[c]=i[c]}n.__np=void 0}else{var d=n.__c;if(d){d.__$f|=8;var u=d.__$u;u&&(d.
__$u=void 0,u.d())}}e(n)});Ot("__h",function(e,n,o,r){r<3&&(n.__$f|=2),e(n,o,r)});ct.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var o=this.
__$u,r=o&&o.s!==void 0;for(var s in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var a=2&this.__$f;if(!(r||a||4&this.__$f)||1&this.__$f)return!0}else if(!(r||
4&this.__$f)||3&this.__$f)return!0;for(var i in e)if(i!=="__source"&&e[i]!==this.props[i])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Rt(e,n){
return Je(function(){return G(e,n)},[])}var Gi=typeof requestAnimationFrame>"u"?setTimeout:function(e){var n=function(){clearTimeout(o),cancelAnimationFrame(r),e()},o=setTimeout(n,35),r=requestAnimationFrame(
n)},zi=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Yi(){Pt(function(){for(var e;e=Xr.shift();)So.call(e)})}function Qi(){Xr.push(this)===
1&&(ne.requestAnimationFrame||Gi)(Yi)}function Zi(){Pt(function(){for(var e;e=es.shift();)So.call(e)})}function ns(){es.push(this)===1&&(ne.requestAnimationFrame||
zi)(Zi)}function os(e,n){var o=Y(e);o.current=e;var r=rn;L(function(){return Ve(function(){if(this.N=Qi,!(r&&8&r.__$f))return o.current()},n)},[])}var Ge=G(Date.now());window.setInterval(()=>{document.hidden||(Ge.value=Date.now())},1e3);var rs=[["d",86400],["h",3600],["min",60],["s",1]];function $e(e){if(!Number.
isFinite(e))return"\u2013";if(e<1)return"0 s";let n=Math.floor(e);for(let[o,[r,s]]of rs.entries()){if(n<s)continue;let a=Math.floor(n/s),i=rs[o+1],l=i===void 0?
0:Math.floor(n%s/i[1]);return i===void 0||a>=10||l===0?`${a} ${r}`:`${a} ${r} ${l} ${i[0]}`}return"0 s"}function Te(e,n=Ge.value){return e==null?"\u2013":$e(Math.
max(0,(n-Date.parse(e))/1e3))}function _t(e){if(e==null)return"";let n=new Date(e);return Number.isNaN(n.getTime())?e:n.toISOString().replace("T"," ").replace(/\.\d+Z$/,
" UTC")}function as(e){if(e==null)return"\u2013";let n=new Date(e),o=new Date(Ge.value),r=i=>String(i).padStart(2,"0"),s=`${r(n.getHours())}:${r(n.getMinutes())}`;
return n.toDateString()===o.toDateString()?s:`${n.getFullYear()}-${r(n.getMonth()+1)}-${r(n.getDate())} ${s}`}var ss=["B","KB","MB","GB","TB","PB"];function we(e){
if(e==null)return"\u2013";let n=e,o=0;for(;n>=1e3&&o<ss.length-1;)n/=1e3,o+=1;return`${o===0||n>=100?Math.round(n):n.toFixed(1)} ${ss[o]}`}var Xi=new Intl.NumberFormat(
"en");function q(e){return Xi.format(e)}function Re(e,n){return n<=0?0:Math.max(0,Math.min(100,e/n*100))}function pe(e,n,o=n+"s"){return`${q(e)} ${e===1?n:o}`}var el="1.115",Co="corten.key",Ae=class extends Error{constructor(o,r,s,a,i){super(r);this.status=o;this.requestId=s;this.retryAfter=a;this.body=i}status;requestId;retryAfter;body;name="\
ApiError";get passes(){return this.retryAfter!==null}},dt=G(!1),We=G(0);function tl(e){return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/",
"_").replaceAll("=","")}function Eo(){let e=localStorage.getItem(Co);if(e!==null&&e.length===43)return e;let n=tl(crypto.getRandomValues(new Uint8Array(32)));return localStorage.
setItem(Co,n),n}function is(){localStorage.removeItem(Co)}function nl(e={}){return{"X-OpenStack-Ironic-API-Version":el,"X-Corten-Key":Eo(),...e}}async function Lt(e,n={}){
let o=n.body===void 0?null:JSON.stringify(n.body),r={Accept:"application/json",...n.headers};o!==null&&(r["Content-Type"]="application/json");let s;try{s=await fetch(
e,{method:n.method??"GET",headers:nl(r),body:o,signal:n.signal??null,credentials:"same-origin",cache:"no-store"})}catch(a){throw a instanceof DOMException&&a.name===
"AbortError"?a:new Ae(0,"The service does not answer.",null,null,null)}if(!s.ok&&s.status!==304)throw await ol(s);return s}async function te(e,n){return await(await Lt(
e,n===void 0?{}:{signal:n})).json()}async function F(e,n,o){let s=await(await Lt(n,o===void 0?{method:e}:{method:e,body:o})).text();return s===""?null:JSON.parse(
s)}async function ol(e){e.status===401&&(dt.value=!0);let n=e.headers.get("x-openstack-request-id"),o=e.headers.get("x-corten-retry-after"),r=null,s="";try{s=await e.
text(),r=JSON.parse(s)}catch{}let a=To(r)??(s.length>0&&s.length<300?s:`The service answered ${e.status}.`);return new Ae(e.status,a,n,o===null?null:Number(o),r)}
function To(e){if(typeof e!="object"||e===null)return null;let n=e,o=n.error_message??n.error??n.faultstring;if(typeof o=="string")try{return To(JSON.parse(o))??
o}catch{return o}if(typeof o=="object")return To(o);let r=n.message;return typeof r=="string"?r:null}var S=encodeURIComponent;var qe={enroll:{look:"ready",target:null,verbs:{manage:"verifying"}},verifying:{look:"working",target:"manageable",verbs:{}},manageable:{look:"ready",target:null,
verbs:{provide:"cleaning",inspect:"inspecting",adopt:"adopting",clean:"cleaning"}},inspecting:{look:"working",target:"manageable",verbs:{}},"inspect wait":{look:"\
waiting",target:"manageable",verbs:{abort:"inspect failed"}},"inspect failed":{look:"failed",target:"manageable",verbs:{manage:"manageable",inspect:"inspecting"}},
adopting:{look:"working",target:"active",verbs:{}},"adopt failed":{look:"failed",target:"active",verbs:{manage:"manageable",adopt:"adopting"}},available:{look:"\
ready",target:null,verbs:{manage:"manageable",deploy:"deploying"}},deploying:{look:"working",target:"active",verbs:{}},"wait call-back":{look:"waiting",target:"\
active",verbs:{delete:"deleting",abort:"deploy failed"}},"deploy failed":{look:"failed",target:"active",verbs:{deploy:"deploying",rebuild:"deploying",delete:"de\
leting"}},"deploy hold":{look:"held",target:"active",verbs:{abort:"deploy failed",unhold:"wait call-back"}},active:{look:"in_use",target:null,verbs:{rebuild:"de\
ploying",delete:"deleting",rescue:"rescuing",service:"servicing"}},deleting:{look:"working",target:"available",verbs:{clean:"cleaning"}},error:{look:"failed",target:null,
verbs:{rebuild:"deploying",delete:"deleting"}},cleaning:{look:"working",target:"available",verbs:{manage:"manageable"}},"clean wait":{look:"waiting",target:"ava\
ilable",verbs:{abort:"clean failed"}},"clean failed":{look:"failed",target:"available",verbs:{manage:"manageable"}},"clean hold":{look:"held",target:"available",
verbs:{abort:"clean failed",unhold:"clean wait"}},rescuing:{look:"working",target:"rescue",verbs:{}},"rescue wait":{look:"waiting",target:"rescue",verbs:{delete:"\
deleting",abort:"rescue failed"}},rescue:{look:"in_use",target:null,verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},"rescue failed":{look:"fa\
iled",target:"rescue",verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},unrescuing:{look:"working",target:"active",verbs:{}},"unrescue failed":{
look:"failed",target:"active",verbs:{delete:"deleting",rescue:"rescuing",unrescue:"unrescuing"}},servicing:{look:"working",target:"active",verbs:{}},"service wa\
it":{look:"waiting",target:"active",verbs:{delete:"deleting",abort:"service failed"}},"service hold":{look:"held",target:"active",verbs:{service:"servicing",abort:"\
service failed",unhold:"service wait"}},"service failed":{look:"failed",target:"active",verbs:{delete:"deleting",rescue:"rescuing",service:"servicing",abort:"ac\
tive"}}};var rl=Symbol.for("pv"),sl=0;function t(e,n,o,r,s,a){n||(n={});var i,l,c=n;if("ref"in c&&typeof e!="function")for(l in c={},n)l=="ref"?i=n[l]:c[l]=n[l];var d={type:e,props:c,key:o,ref:i,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:rl,__v:--sl,__i:-1,__u:0};return(s||a)&&(d.__source=s,d.__self=a),ne.vnode&&ne.vnode(d),d}var sn=[{look:"failed",word:"failed"},{look:"working",word:"working"},{look:"waiting",word:"waiting"},{look:"held",word:"held"},{look:"ready",word:"ready"},{look:"\
in_use",word:"in use"}];function Dt(e){return qe[e]?.look??"ready"}function K({look:e}){return t("svg",{class:`mark mark-${e}`,viewBox:"0 0 12 12",width:"12",height:"\
12","aria-hidden":"true",children:[e==="ready"&&t("circle",{cx:"6",cy:"6",r:"4",fill:"none",stroke:"currentColor","stroke-width":"2"}),e==="in_use"&&t("circle",
{cx:"6",cy:"6",r:"5",fill:"currentColor"}),e==="working"&&t("path",{d:"M6 1a5 5 0 1 1-5 5",fill:"none",stroke:"currentColor","stroke-width":"2","stroke-linecap":"\
round"}),e==="waiting"&&t("path",{d:"M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M6 3.4V6l1.8 1.4",fill:"none",stroke:"currentColor","stroke-width":"1.5","str\
oke-linecap":"round"}),e==="held"&&t("path",{d:"M3 1.5h2v9H3zM7 1.5h2v9H7z",fill:"currentColor"}),e==="failed"&&t("path",{d:"M2 2l8 8M10 2l-8 8",stroke:"current\
Color","stroke-width":"2.4","stroke-linecap":"round"})]})}function pt({state:e,target:n,maintenance:o}){let r=Dt(e);return t("span",{class:`state look-${r}`,children:[
t(K,{look:r}),t("span",{class:"state-word",children:e}),n!=null&&n!==e&&t("span",{class:"state-target",children:["\u2192 ",n]}),o===!0&&t("span",{class:"chip ch\
ip-hatch",children:"maintenance"})]})}var al={search:"M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",plus:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 \
8",chevron:"M6 3.5 10.5 8 6 12.5",copy:"M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",terminal:"M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3",warn:"M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11\
.8v.2",check:"M3 8.5l3.2 3.2L13 5",more:"M3.5 8h.1M8 8h.1M12.5 8h.1",refresh:"M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",pause:"M5.5 3.5v9M10.5 3.5v9",play:"M5 3.5 12.5\
 8 5 12.5z",down:"M3.5 6 8 10.5 12.5 6",up:"M3.5 10 8 5.5 12.5 10",lock:"M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",power:"M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0",link:"\
M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",download:"M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10",expand:"M2.5 6v-3.5H6M1\
0 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",sun:"M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1\
 11.9l-.7.7",moon:"M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5",key:"M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6 2.5 13.5M4.5 11.5l1.5 1.5"};function M({
name:e}){return t("svg",{class:"icon",viewBox:"0 0 16 16",width:"16",height:"16","aria-hidden":"true",children:t("path",{d:al[e],fill:"none",stroke:"currentColo\
r","stroke-width":"1.6","stroke-linecap":"round","stroke-linejoin":"round"})})}var an=G([]),Mo=G(""),il=0;function W(e){Mo.value=Mo.peek()===e?e+" ":e,ls({kind:"done",title:e,text:null,requestId:null})}function J(e,n){let o=n instanceof Error?
n.message:String(n),r=n instanceof Ae?n.requestId:null;ls({kind:"error",title:e,text:o,requestId:r})}function ls(e){let n=++il;an.value=[...an.peek().slice(-4),
{...e,id:n}],e.kind==="done"&&window.setTimeout(()=>cs(n),4e3)}function cs(e){an.value=an.peek().filter(n=>n.id!==e)}function us(){return t(x,{children:[t("div",
{class:"hidden","aria-live":"polite",children:Mo.value}),t("div",{class:"notices",children:an.value.map(e=>t("div",{class:`notice notice-${e.kind}`,role:e.kind===
"error"?"alert":void 0,children:[t(M,{name:e.kind==="error"?"warn":"check"}),t("div",{class:"notice-words",children:[t("p",{class:"notice-title",children:e.title}),
e.text!==null&&t("p",{children:e.text}),e.requestId!==null&&t("p",{class:"faint",children:["Request ",t("code",{children:e.requestId})]})]}),t("button",{type:"b\
utton",class:"icon-button","aria-label":"Dismiss",onClick:()=>cs(e.id),children:t(M,{name:"close"})})]},e.id))})]})}function b(e){let{children:n,onClick:o,why:r,kind:s="plain",type:a="button",label:i,small:l,pressed:c,busy:d}=e,u=r!=null||d===!0;return t("button",{type:a,class:`\
button button-${s}${l===!0?" button-small":""}`,"aria-disabled":u,"aria-label":i,"aria-pressed":c,"aria-expanded":e.expanded,"aria-busy":d,autofocus:e.autofocus,
title:r??i,onClick:p=>{if(u){p.preventDefault(),r!=null&&W(`Not now: ${r}.`);return}o?.()},children:n})}function me({at:e,ago:n=!1}){return e==null?t("span",{class:"\
faint",children:"\u2013"}):t("time",{dateTime:e,title:_t(e),children:[Te(e),n?" ago":""]})}function Le({at:e}){return e==null?t("span",{class:"faint",children:"\
\u2013"}):t("time",{dateTime:e,title:_t(e),children:as(e)})}function Me({lines:e=3}){let[n,o]=g(!1);return L(()=>{let r=window.setTimeout(()=>o(!0),150);return()=>window.
clearTimeout(r)},[]),t("div",{class:"skeleton",role:"status","aria-label":"Loading",children:n&&Array.from({length:e},(r,s)=>t("div",{class:"skeleton-line"},s))})}
function j({title:e,children:n}){return t("div",{class:"empty",children:[t("p",{class:"empty-title",children:e}),n!==void 0&&t("div",{class:"empty-text",children:n})]})}
function ke({error:e,retry:n}){return t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:[t(M,{name:"warn"})," ",e.message]}),t(
"p",{class:"faint",children:[e.status>0&&t(x,{children:["Status ",e.status,". "]}),e.requestId!==null&&t(x,{children:["Request ",t("code",{children:e.requestId}),
"."]})]}),n!==void 0&&t(b,{small:!0,onClick:n,children:"Try again"})]})}function V({doc:e,lines:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?
t(x,{children:o(r)}):s!==void 0?t(ke,{error:s,retry:e.reload}):t(Me,{lines:n??3})}function O(e){let n=Xe(),o=e.level===3?"h3":"h2";return t("section",{class:`pa\
nel ${e.class??""}`,"aria-labelledby":n,children:[t("header",{class:"panel-head",children:[t(o,{id:n,class:"panel-title",children:e.title}),e.actions!==void 0&&
t("div",{class:"panel-actions",children:e.actions})]}),t("div",{class:"panel-body",children:e.children})]})}function ge({rows:e,all:n=!1}){let o=e.filter(([,r])=>n||
r!=null&&r!==""&&r!==!1);return t("dl",{class:"facts",children:o.map(([r,s])=>t("div",{class:"fact",children:[t("dt",{children:r}),t("dd",{children:s==null||s===
""?t("span",{class:"faint",children:"\u2013"}):s})]},r))})}function B(e){let n=Xe();return t("div",{class:`field${e.error?" field-wrong":""}`,children:[t("label",
{for:n,children:e.label}),e.children(n,`${n}-hint`),t("div",{class:"field-hint",id:`${n}-hint`,children:e.error?t("span",{class:"wrong",children:e.error}):e.hint})]})}
function De({value:e,label:n}){return t("div",{class:"meter",role:"progressbar","aria-valuenow":Math.round(e),"aria-valuemin":0,"aria-valuemax":100,"aria-label":n,
children:t("div",{class:"meter-fill",style:{width:`${e}%`}})})}function It({text:e,label:n}){let[o,r]=g(!1),s=Y(void 0);return L(()=>()=>window.clearTimeout(s.current),
[]),t("button",{type:"button",class:"icon-button","aria-label":n,title:n,onClick:()=>{navigator.clipboard?.writeText(e).then(()=>{r(!0),W("Copied."),s.current=window.
setTimeout(()=>r(!1),1500)},()=>W("The browser does not let this page copy."))},children:t(M,{name:o?"check":"copy"})})}var In=class extends ct{state={error:null};static getDerivedStateFromError(n){return{error:n}}render(){let n=this.state.error;return n===null?this.props.children:
t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:["This screen has a defect: ",n.message]}),t(b,{small:!0,onClick:()=>this.setState(
{error:null}),children:"Show it again"})]})}};var ll=100,cl=1e3,ul=15e3,dl=4e4,Ro=2e3,pl=3e4,fl=2e3,Se=G("connecting"),un=G(Date.now()),Ie=G(0),$t=G(0),Ao=new Set;function ft(e){return Ao.add(e),()=>Ao.delete(
e)}var Bn=[],ps,xt,cn=Ro,qn,ds,Po,No=!1,ln=0;function ml(){ps=void 0;let e=Bn;Bn=[];for(let n of[...Ao])n(e)}function hl(e){e.cursor<=Ie.value||(Ie.value=e.cursor,
Bn.push(e),ps??=window.setTimeout(ml,ll))}function fs(){if(No)return;No=!0,document.addEventListener("visibilitychange",gl),document.hidden?Se.value="paused":qn=
window.setTimeout(qt,cl);let e=We.value;We.subscribe(n=>{n>e&&Fn(),e=n})}function Bt(e){!No||xt!==void 0||Ie.value>0||Se.value!=="connecting"||(Ie.value=e,window.
clearTimeout(qn),qt())}function gl(){window.clearTimeout(ds),document.hidden?ds=window.setTimeout(()=>{Se.value="paused",dn()},ul):(Se.value==="paused"||Se.value===
"lost")&&Fn()}function dn(){window.clearTimeout(qn),window.clearTimeout(Po),xt?.abort(),xt=void 0}function Fn(){dn(),cn=Ro,document.hidden?Se.value="paused":qt()}
function Oo(){Se.value!=="paused"&&(Se.value="lost",dn(),qn=window.setTimeout(qt,cn),cn=Math.min(cn*2,pl))}function ms(){un.value=Date.now(),window.clearTimeout(
Po),Po=window.setTimeout(Oo,dl)}async function qt(){let e=new AbortController;xt=e,Se.value!=="lost"&&(Se.value="connecting");let n=Ie.value>0,o={Accept:"text/e\
vent-stream"};n&&(o["Last-Event-ID"]=String(Ie.value));try{let r=await Lt("/corten/v1/events",{headers:o,signal:e.signal}),s=Se.value==="lost";Se.value="live",cn=
Ro,ms(),(!n||s)&&($t.value+=1),ln=0,await bl(r,e,n),xt===e&&Oo()}catch(r){if(xt!==e)return;if(r instanceof Ae&&r.status===410){Ie.value=0,qt();return}if(r instanceof
Ae&&r.status===401){Se.value="paused",dn();return}Oo()}}async function bl(e,n,o){let r=e.body?.getReader();if(r===void 0)return;let s=new TextDecoder,a="",i="",
l="";for(;;){let{value:c,done:d}=await r.read();if(d||xt!==n)return;ms(),a+=s.decode(c,{stream:!0});let u=a.split(`
`);a=u.pop()??"";for(let p of u){let f=p.endsWith("\r")?p.slice(0,-1):p;f.startsWith("id:")?i=f.slice(3).trim():f.startsWith("data:")?l+=f.slice(5).trim():f===""&&
(l!==""?(hl(JSON.parse(l)),ln+=1):i!==""&&Number(i)>Ie.value&&(Ie.value=Number(i)),i=l="")}if(o&&ln>fl){Bn=[],Ie.value=0,dn(),qt();return}o&&ln>0&&window.setTimeout(
()=>ln=0,1e3)}}var jn="/ui",Wn=G(Lo());function Lo(){return{path:(location.pathname.startsWith(jn)?location.pathname.slice(jn.length):"/").split("/").filter(n=>n!=="").map(vl),
query:new URLSearchParams(location.search)}}function vl(e){try{return decodeURIComponent(e)}catch{return e}}addEventListener("popstate",()=>{Wn.value=Lo()});var Fe=kt(
()=>Wn.value.path),Q=kt(()=>Wn.value.query);function E(e,n={}){let o=new URLSearchParams;for(let[a,i]of Object.entries(n))i!=null&&i!==""&&o.set(a,i);let r=o.toString(),
s=e.map(encodeURIComponent).join("/");return`${jn}/${s}${r===""?"":"?"+r}`}function hs(e){return E([Fe.peek()[0]??"",e],Object.fromEntries(Q.peek()))}function Z(e,n=!1){
e!==location.pathname+location.search&&(Pt(()=>{n?history.replaceState(null,"",e):history.pushState(null,"",e),Wn.value=Lo()}),n||scrollTo(0,0))}function U(e,n=!1){
let o=new URLSearchParams(location.search);for(let[s,a]of Object.entries(e))a===null||a===""?o.delete(s):o.set(s,a);let r=o.toString();Z(location.pathname+(r===
""?"":"?"+r),n)}function Do(e){if(e.defaultPrevented||e.button!==0||e.metaKey||e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target instanceof Element?e.target.
closest("a"):null,o=n?.getAttribute("href");n===null||o===null||o===void 0||!o.startsWith(jn+"/")||n.target!==""||n.hasAttribute("download")||(e.preventDefault(),
Z(o))}function _e(e){return e instanceof Ae?e:new Ae(0,e instanceof Error?e.message:String(e),null,null,null)}function N(e,n={}){let o=Je(()=>{let c=G(void 0),d=G(void 0),
u=G(!0);return{data:c,error:d,loading:u}},[]),r=Rt(e),s=Rt(0);r.peek()!==e&&(r.value=e,n.keep!==!0&&(o.data.value=void 0),o.error.value=void 0,o.loading.value=e!==
null),os(()=>{s.value,$t.value,We.value;let c=r.value;if(c===null){o.loading.value=!1;return}let d=new AbortController;return te(c,d.signal).then(u=>{o.data.value=
u;let p=u?.cursor;typeof p=="number"&&Bt(p),o.error.value=void 0,o.loading.value=!1},u=>{d.signal.aborted||(o.error.value=_e(u),o.loading.value=!1)}),()=>d.abort()});
let{every:a,on:i,atMost:l=500}=n;return L(()=>{if(a===void 0)return;let c=window.setInterval(()=>{!document.hidden&&Se.peek()!=="lost"&&(s.value+=1)},a);return()=>window.
clearInterval(c)},[a]),L(()=>{if(i===void 0)return;let c,d=0,u=ft(p=>{if(c!==void 0||!p.some(i))return;let f=Math.max(0,d+l-Date.now());c=window.setTimeout(()=>{
c=void 0,d=Date.now(),s.value+=1},f)});return()=>{u(),window.clearTimeout(c)}},[e,l,i===void 0]),{...o,reload:()=>{s.value+=1}}}function ue({title:e,onClose:n,children:o,foot:r,wide:s,class:a}){let i=Xe(),l=Y(null),c=Y(!1);return Ke(()=>{let d=l.current,u=document.activeElement;return d!==
null&&!d.open&&d.showModal(),()=>{c.current=!0,d?.close(),u instanceof HTMLElement&&u.isConnected&&u.focus()}},[]),t("dialog",{ref:l,class:`dialog${s===!0?" dia\
log-wide":""} ${a??""}`,"aria-labelledby":i,onCancel:d=>{d.preventDefault(),n()},onClose:()=>{c.current||(n(),requestAnimationFrame(()=>{let d=l.current;!c.current&&
d!==null&&!d.open&&d.showModal()}))},onClick:d=>{d.target===l.current&&n()},children:t("div",{class:"dialog-inside",children:[t("header",{class:"dialog-head",children:[
t("h2",{id:i,children:e}),t(b,{kind:"quiet",small:!0,label:"Close",onClick:n,children:"\u2715"})]}),t("div",{class:"dialog-body",children:o}),r!==void 0&&t("foo\
ter",{class:"dialog-foot",children:r})]})})}function ze(e){let[n,o]=g(""),r=n.trim()===e.word;return t(ue,{title:e.title,onClose:e.onClose,foot:t(x,{children:[t(
b,{onClick:e.onClose,children:"Cancel"}),t(b,{kind:"danger",why:r?null:`type ${e.word} first`,onClick:e.onYes,children:e.action})]}),children:[t("div",{children:e.
text}),e.children,t("form",{onSubmit:s=>{s.preventDefault(),r&&e.onYes()},children:t(B,{label:`Type ${e.word} to go on`,children:s=>t("input",{id:s,class:"input",
autofocus:!0,autocomplete:"off",spellcheck:!1,value:n,onInput:a=>o(a.currentTarget.value)})})})]})}function yl({commands:e,onClose:n}){return t(ue,{title:"The s\
ame by command",onClose:n,children:[t(Ne,{label:"corten",text:e.corten}),t(Ne,{label:"curl",text:e.curl})]})}function Ne({label:e,text:n}){return t("div",{class:"\
command",children:[t("span",{class:"command-label",children:e}),t("code",{class:"command-text",tabIndex:0,children:n}),t(It,{text:n,label:`Copy the ${e} command`})]})}
function ie({commands:e}){let[n,o]=g(!1);return t(x,{children:[t(b,{kind:"quiet",small:!0,onClick:()=>o(!0),children:"Show command"}),n&&t(yl,{commands:e,onClose:()=>o(
!1)})]})}var le=G(void 0);async function Un(){try{le.value=await te("/corten/v1/me"),dt.value=!1}catch{}}async function gs(e){await F("POST","/corten/v1/session",e),await Un(),
dt.value=!1,We.value+=1,ys("in")}async function bs(){await F("DELETE","/corten/v1/session"),is(),le.value=void 0,dt.value=!0,ys("out")}function Hn(e){return e===
void 0?"":e.user_name??e.user??(e.mode==="noauth"?"everybody":"signed in")}var vs=new BroadcastChannel("corten.session");function ys(e){vs.postMessage(e)}vs.onmessage=
e=>{e.data==="out"?(le.value=void 0,dt.value=!0):Un().then(()=>We.value+=1)};var mt=[{verb:"manage",label:"Manage",target:"manage",command:"manage",about:"check that its BMC can be controlled"},{verb:"provide",label:"Provide",target:"pro\
vide",command:"provide",about:"clean it and offer it for use"},{verb:"inspect",label:"Inspect",target:"inspect",command:"inspect",about:"find out what hardware \
it has"},{verb:"adopt",label:"Adopt",target:"adopt",command:"adopt",about:"take it over as it is, in use",asks:!0},{verb:"deploy",label:"Deploy",target:"active",
command:"deploy",about:"write an image and boot it",asks:!0},{verb:"rebuild",label:"Rebuild",target:"rebuild",command:"rebuild",about:"write the image again",asks:!0,
destroys:!0},{verb:"delete",label:"Undeploy",target:"deleted",command:"undeploy",about:"take it back and clean it",destroys:!0},{verb:"clean",label:"Clean",target:"\
clean",command:"clean",about:"run clean steps",asks:!0,destroys:!0},{verb:"rescue",label:"Rescue",target:"rescue",command:"rescue",about:"boot a rescue system",
asks:!0},{verb:"unrescue",label:"Unrescue",target:"unrescue",command:"unrescue",about:"boot its own system again"},{verb:"service",label:"Service",target:"servi\
ce",command:"service",about:"run service steps while in use",asks:!0},{verb:"abort",label:"Abort",target:"abort",command:"abort",about:"stop at the end of this \
step"},{verb:"unhold",label:"Go on",target:"unhold",command:"unhold",about:"go on after the hold"}],ws=[{label:"Power on",target:"power on",command:"power on"},
{label:"Power off",target:"power off",command:"power off",destroys:!0},{label:"Reboot",target:"rebooting",command:"reboot",destroys:!0},{label:"Soft power off",
target:"soft power off",command:"power off --soft"},{label:"Soft reboot",target:"soft rebooting",command:"reboot --soft"}],wl=["deploy","rebuild","rescue","prov\
ide","clean","service"],kl=["rebuild","delete"],Oe={provision:"baremetal:node:set_provision_state",power:"baremetal:node:set_power_state",maintain:"baremetal:no\
de:set_maintenance",resume:"baremetal:node:clear_maintenance",update:"baremetal:node:update",create:"baremetal:node:create",remove:"baremetal:node:delete",console:"\
baremetal:node:get_console",switchConsole:"baremetal:node:set_console_state"};function oe(e,n){return e===void 0||e.is_open||e.rules.some(o=>o===n||o===`${n}:se\
lf_owned_node`)?null:`you lack the rule ${n}`}function Ft(e,n,o){let r=oe(o,Oe.provision);return r!==null?r:qe[e.provision_state]?.verbs[n.verb]===void 0?`not f\
rom ${e.provision_state}`:e.maintenance&&wl.includes(n.verb)?"it is in maintenance":e.protected&&kl.includes(n.verb)?"it is protected":n.verb==="abort"?null:Bo(
e)}function Bo(e){let n=qe[e.provision_state]?.look;return e.reservation!==null&&(n==="working"||n==="waiting")?`${e.reservation} works on it`:null}var Io={enroll:"\
manage",manageable:"provide",available:"deploy",rescue:"unrescue","deploy failed":"deploy","clean failed":"manage","inspect failed":"inspect","adopt failed":"ad\
opt","rescue failed":"rescue","unrescue failed":"unrescue","deploy hold":"unhold","clean hold":"unhold","service hold":"unhold"};function ks(e){return mt.filter(
o=>_l(e,o.verb)).sort((o,r)=>+(r.verb===Io[e])-+(o.verb===Io[e]))}function _s(e,n){return Io[e]===n}function _l(e,n){return qe[e]?.verbs[n]!==void 0}function re(e){
return/^[\w@%+=:,./-]+$/.test(e)?e:`'${e.replaceAll("'","'\\''")}'`}function X(e,n,o){let r=["curl","-X",e,re(location.origin+n),"-H",re("X-OpenStack-Ironic-API\
-Version: 1.115")];return o!==void 0&&r.push("-H",re("Content-Type: application/json"),"-d",re(JSON.stringify(o))),r.join(" ")}function xs(){let[e,n]=g(void 0),o=N("/v1/allocations",{every:e}),s=(o.data.value?.allocations??[]).some(d=>d.state==="allocating");s!==(e!==void 0)&&n(s?5e3:void 0);
let[a,i]=g(!1),[l,c]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Allocations"}),t("span",{class:"spri\
ng"}),t(ie,{commands:{corten:"corten allocation list",curl:X("GET","/v1/allocations")}}),t(b,{kind:"main",why:oe(le.value,"baremetal:allocation:create"),onClick:()=>i(
!0),children:[t(M,{name:"plus"})," Allocate"]})]}),t(V,{doc:o,lines:6,children:d=>d.allocations.length===0?t(j,{title:"No allocations",children:t("p",{children:"\
An allocation asks for any free machine with a resource class and traits, and reserves it."})}):t("div",{class:"panel scroll-x",children:t("table",{class:"table",
children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"wants"}),
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col"})]})}),t("tbody",{children:d.allocations.map(u=>t("tr",{children:[
t("th",{scope:"row",children:u.name??u.uuid.slice(0,8)}),t("td",{children:[t("span",{class:"state",children:[t(K,{look:u.state==="active"?"in_use":u.state==="er\
ror"?"failed":"working"})," ",u.state]}),u.last_error!==null&&t("p",{class:"wrong wrap",children:u.last_error})]}),t("td",{children:[u.resource_class," ",u.traits.
map(p=>t("span",{class:"chip",children:p},p))]}),t("td",{children:u.node_uuid===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:E(["nodes",u.node_uuid]),
children:u.node_uuid.slice(0,8)})}),t("td",{children:t(me,{at:u.created_at})}),t("td",{children:t(b,{small:!0,kind:"quiet",label:`Delete ${u.name??u.uuid}`,why:oe(
le.value,"baremetal:allocation:delete"),onClick:()=>c(u),children:"Delete"})})]},u.uuid))})]})})}),a&&t(xl,{onClose:()=>i(!1),onDone:()=>{i(!1),o.reload()}}),l!==
null&&t(ze,{title:`Delete allocation ${l.name??l.uuid}`,text:t("p",{children:"The machine is free again, if it is not deployed."}),word:l.name??l.uuid.slice(0,8),
action:"Delete",onClose:()=>c(null),onYes:()=>{F("DELETE",`/v1/allocations/${S(l.uuid)}`).then(()=>{c(null),W("The allocation is deleted."),o.reload()},d=>J("It\
 could not be deleted",d))}})]})}function xl({onClose:e,onDone:n}){let[o,r]=g(""),[s,a]=g(""),[i,l]=g(""),[c,d]=g(""),u=f=>f.split(/[\s,]+/).filter(m=>m!==""),p=async()=>{
try{let f={resource_class:s,...o===""?{}:{name:o},...u(i).length===0?{}:{traits:u(i)},...u(c).length===0?{}:{candidate_nodes:u(c)}};await F("POST","/v1/allocati\
ons",f),W("A machine is being looked for."),n()}catch(f){J("The allocation was refused",f)}};return t(ue,{title:"Allocate a machine",onClose:e,foot:t(x,{children:[
t(b,{onClick:e,children:"Cancel"}),t(b,{kind:"main",why:s===""?"a resource class is missing":null,onClick:()=>{p()},children:"Allocate"})]}),children:t("form",{
class:"form",onSubmit:f=>{f.preventDefault(),s!==""&&p()},children:[t(B,{label:"Resource class",children:f=>t("input",{id:f,class:"input",autofocus:!0,value:s,onInput:m=>a(
m.currentTarget.value.trim())})}),t(B,{label:"Name",hint:"Optional.",children:f=>t("input",{id:f,class:"input",value:o,onInput:m=>r(m.currentTarget.value.trim())})}),
t(B,{label:"Traits",hint:"All of them are needed; separated by spaces.",children:f=>t("input",{id:f,class:"input",value:i,onInput:m=>l(m.currentTarget.value)})}),
t(B,{label:"Candidates",hint:"Names or UUIDs; empty for all machines.",children:f=>t("input",{id:f,class:"input",value:c,onInput:m=>d(m.currentTarget.value)})}),
t("button",{type:"submit",hidden:!0})]})})}var $l={dhcp4:"DHCP for IPv4",dhcp6:"DHCP for IPv6",tftp:"TFTP",http:"HTTP"},jt=100;function $s(){let e=Q.value.get("q")??"",n=Math.max(0,Number(Q.value.get("fr\
om")??0)||0),r=`/corten/v1/boot?${new URLSearchParams({limit:String(jt),offset:String(n),...e===""?{}:{q:e}}).toString()}`,s=N(r,{every:3e3,keep:!0}),a=Math.max(
0,...(s.data.value?.conductors??[]).map(i=>Math.max(i.leases_total??0,i.published_total??0)));return t("div",{class:"stack",children:[t("div",{class:"page-head",
children:[t("h1",{children:"Boot services"}),t("span",{class:"spring"}),t(ie,{commands:{corten:`corten boot${e===""?"":` --leases --where ${re(e)}`}`,curl:X("GE\
T",r)}})]}),t("div",{class:"row",children:[t("input",{class:"input filter-wide",type:"search","aria-label":"Filter leases and machines",placeholder:"Filter: MAC\
, address or UUID",value:e,onInput:i=>U({q:i.currentTarget.value,from:null},!0)}),a>jt&&t("span",{class:"row",children:[t(b,{small:!0,why:n===0?"these are the f\
irst":null,onClick:()=>U({from:n<=jt?null:String(n-jt)}),children:"Back"}),t("span",{class:"faint",children:["from ",q(n+1)," of ",q(a)]}),t(b,{small:!0,why:n+jt>=
a?"these are the last":null,onClick:()=>U({from:String(n+jt)}),children:"Further"})]})]}),t(V,{doc:s,lines:8,children:i=>i.conductors.length===0?t(j,{title:"No \
conductor is alive",children:t("p",{children:"Conductors run the boot services."})}):i.conductors.map(l=>t(Sl,{one:l,filtered:e!==""},l.host))})]})}function Sl({
one:e,filtered:n}){let o=e.services??[],r=e.networks??[];return t("section",{class:"stack","aria-label":`Conductor ${e.host}`,children:[t("h2",{children:e.host}),
e.error!==null&&t("p",{class:"wrong",children:["It does not tell: ",e.error]}),e.error===null&&o.length===0&&t(j,{title:"It runs no boot services",children:t("p",
{children:["Machines of this conductor boot from virtual media, their disks or another boot server. Set ",t("code",{children:"[corten] dhcp"}),", ",t("code",{children:"\
tftp_listen"})," or ",t("code",{children:"http_listen"})," to serve them from here."]})}),o.length>0&&t("div",{class:"cards",children:[t(O,{title:"Services",level:3,
children:t("dl",{class:"facts",children:o.map(s=>t("div",{class:"fact",children:[t("dt",{children:$l[s.name]??s.name}),t("dd",{children:[t("code",{children:s.addresses.
join(", ")}),t("p",{class:"faint",children:s.detail})]})]},s.name))})}),r.map(s=>{let a=Re(s.used,s.size);return t(O,{title:`Network ${s.network}`,level:3,children:[
s.first===null?t("p",{class:"faint",children:"Only machines with a fixed address get one here."}):t(x,{children:[t(De,{value:a,label:`Addresses in use: ${Math.round(
a)} %`}),t("p",{class:a>=90?"wrong":"",children:[q(s.used)," of ",q(s.size)," addresses in use",a>=90?": the range is nearly used up":""]}),t("p",{class:"faint",
children:[s.first," to ",s.last,", for ",Te(new Date(Ge.value-s.lease_seconds*1e3).toISOString())," each"]})]}),t("p",{class:"faint",children:s.interface===null?
"reached by relays":`on ${s.interface}`})]},s.network+(s.interface??""))})]}),o.length>0&&t(Cl,{one:e,filtered:n}),o.some(s=>s.name.startsWith("dhcp"))&&t(Tl,{one:e,
filtered:n})]})}function Ss({node:e,name:n}){return e===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:E(["nodes",n??e],{tab:"boot"}),children:n??
e.slice(0,8)})}function Cl({one:e,filtered:n}){let o=e.published??[];return t(O,{title:`Machines that boot from here \xB7 ${q(e.published_total??0)}`,level:3,children:o.
length===0?t("p",{class:"faint",children:n?"None fits.":"None: a machine is here while it is cleaned, deployed, inspected or rescued over the network."}):t("div",
{class:"scroll-x",role:"region","aria-label":"Machines that boot from here",tabIndex:0,children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"starts"}),t("th",{scope:"col",children:"by"}),t("th",{scope:"col",children:"MAC addresses"}),
t("th",{scope:"col",children:"files"})]})}),t("tbody",{children:o.map(r=>t("tr",{children:[t("th",{scope:"row",children:t(Ss,{node:r.node,name:r.name})}),t("td",
{children:r.starts}),t("td",{children:[r.way,", ",r.mode]}),t("td",{children:r.macs.map(s=>t("code",{class:"block",children:s},s))}),t("td",{class:"wrap",children:r.
files.map(s=>t("span",{class:"block",children:[s.name," ",t("code",{class:"faint",children:s.source})]},s.name))})]},r.node))})]})})})}function Tl({one:e,filtered:n}){
let o=e.leases??[];return t(O,{title:`Leases \xB7 ${q(e.leases_total??0)}`,level:3,children:o.length===0?t("p",{class:"faint",children:n?"None fits.":"None: nob\
ody asked for an address lately."}):t("div",{class:"scroll-x",role:"region","aria-label":"Leases",tabIndex:0,children:t("table",{class:"table",children:[t("thea\
d",{children:t("tr",{children:[t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"MAC address"}),t("th",{scope:"col",children:"state"}),t("t\
h",{scope:"col",children:"ends in"}),t("th",{scope:"col",children:"node"})]})}),t("tbody",{children:o.map(r=>t("tr",{children:[t("th",{scope:"row",children:t("c\
ode",{children:r.address})}),t("td",{children:t("code",{class:"block",children:r.mac})}),t("td",{children:t("span",{class:"state",children:[t(K,{look:r.used==="\
leased"?"in_use":r.used==="offered"?"waiting":"failed"})," ",r.used==="declined"?"used by somebody else":r.used]})}),t("td",{children:Te(new Date(Ge.value).toISOString(),
Date.parse(r.until))}),t("td",{children:t(Ss,{node:r.node,name:r.name})})]},r.address))})]})})})}function Cs(e){let n=[...e.nodes].sort((o,r)=>o[1].localeCompare(r[1],"en",{numeric:!0}));return{action:e.action,arguments:e.arguments,nodes:n.map(([o])=>o),waves:e.
inWaves?[1,"10%","rest"]:["rest"],...e.mayFail===null?{}:{max_failures:e.mayFail}}}function Ts(e){return e==="done"||e==="aborted"}function Es(e){return e==="ru\
nning"?["pause","abort"]:e==="paused"||e==="stopped"?["resume","abort"]:[]}var Ms={running:"Running.",paused:"Paused; no further node is touched.",stopped:"Stop\
ped after a failure; no further node is touched.",aborting:"Aborted; nodes at work go on to their end.",done:"All done.",aborted:"Aborted."},qo={waiting:"not ye\
t",asked:"being asked",running:"under way",done:"done",failed:"failed",skipped:"not touched"};function Fo(e){let{done:n,asked:o,running:r,failed:s,waiting:a,skipped:i}=e.
counts;return`${n} done, ${o+r} under way, ${s} failed, ${a+i} not touched.`}var jo="/corten/v1/batches",As=500;function Ns(){let e=N(jo,{on:n=>n.kind==="batch"});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[
t("h1",{children:"Batches"}),t("span",{class:"spring"}),t(ie,{commands:{corten:"corten batch list",curl:X("GET",jo)}})]}),t(V,{doc:e,lines:5,children:n=>n.batches.
length===0?t(j,{title:"No batches",children:[t("p",{children:"A batch does one thing with many nodes, in waves. Select nodes in the list of nodes to make one."}),
t("code",{children:"corten batch create provision manage --where state:enroll"})]}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("the\
ad",{children:t("tr",{children:[t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",class:"num",children:"nodes"}),
t("th",{scope:"col",children:"nodes by outcome"}),t("th",{scope:"col",children:"by"}),t("th",{scope:"col",children:"since"})]})}),t("tbody",{children:n.batches.
map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:E(["batches",o.uuid]),children:Wo(o)})}),t("td",{class:o.state==="stopped"?"wrong":"",children:o.
state}),t("td",{class:"num",children:q(o.node_count)}),t("td",{children:Fo(o)}),t("td",{children:o.user??""}),t("td",{children:t(me,{at:o.created_at,ago:!0})})]},
o.uuid))})]})})})]})}function Wo(e){return e.description??`${e.action}: ${e.target}`}function Os({uuid:e}){let n=`${jo}/${S(e)}`,o=a=>a.kind==="batch"&&a.data?.
batch===e,r=N(n,{on:o,every:5e3,keep:!0}),s=r.data.value;return L(()=>{s!==void 0&&(document.title=`${Wo(s)} \xB7 Corten`)},[s?.uuid]),t("div",{class:"stack",children:[
t("div",{class:"page-head",children:[t("h1",{children:s===void 0?"Batch":Wo(s)}),t("span",{class:"spring"}),t(ie,{commands:{corten:`corten batch watch ${e}`,curl:X(
"GET",n)}})]}),t(V,{doc:r,lines:6,children:a=>t(x,{children:[t(Ml,{batch:a,path:n,reload:r.reload}),t(Al,{batch:a,path:n,isMine:o})]})})]})}var El={pause:"Pause",
resume:"Go on",abort:"Abort"};function Ml({batch:e,path:n,reload:o}){let[r,s]=g(!1),a=e.counts.done+e.counts.failed+e.counts.skipped,i=async(l,c)=>{s(!0);try{await l(),
c()}catch(d){J("That was refused",d)}s(!1)};return t(O,{title:`${e.action}: ${e.target}`,actions:t(x,{children:[Es(e.state).map(l=>t(b,{small:!0,kind:l==="resum\
e"?"main":l==="abort"?"danger":"plain",busy:r,why:oe(le.value,"corten:batch:update"),onClick:()=>{i(()=>F("POST",`${n}/${l}`),o)},children:El[l]},l)),Ts(e.state)&&
t(b,{small:!0,kind:"quiet",busy:r,why:oe(le.value,"corten:batch:delete"),onClick:()=>{i(()=>F("DELETE",n),()=>Z(E(["batches"])))},children:"Remove"})]}),children:t(
"div",{class:"trial",children:[t("p",{role:"status",class:e.state==="stopped"?"wrong":"",children:[t("strong",{children:Ms[e.state]})," ",Fo(e)]}),t(De,{value:Re(
a,e.node_count),label:"nodes that have ended"}),t(ge,{rows:[["Reason",e.reason],["Nodes",q(e.node_count)],["Wave",`${e.wave} of ${e.waves.length} (${e.waves.join(
", ")})`],["At once",q(e.at_once)],["May fail",e.max_failures===null?"none before the next wave":pe(e.max_failures,"node")],["Query",e.query===null?null:t("code",
{children:e.query})],["Asked by",e.user],["Run by",e.conductor],["Since",t(me,{at:e.created_at,ago:!0})],["Ended",e.ended_at===null?null:t(me,{at:e.ended_at,ago:!0})]]})]})})}
var Ps=["failed","running","asked","waiting","done","skipped"];function Al({batch:e,path:n,isMine:o}){let r=Ps.find(d=>d===Q.value.get("state"))??null,[s,a]=g(-1),
i=r===null?"":`&state=${r}`,l=N(`${n}/nodes?after=${s}&limit=${As}${i}`,{on:o,atMost:1e3,every:5e3,keep:!0}),c=d=>{a(-1),U({state:d},!0)};return t(O,{title:"Nod\
es",actions:t(x,{children:[t(b,{small:!0,kind:"quiet",pressed:r===null,onClick:()=>c(null),children:"All"}),Ps.filter(d=>e.counts[d]>0).map(d=>t(b,{small:!0,kind:"\
quiet",pressed:r===d,onClick:()=>c(d),children:[qo[d]," ",q(e.counts[d])]},d))]}),children:t(V,{doc:l,children:d=>t(x,{children:[t("div",{class:"scroll-x",tabIndex:0,
role:"region","aria-label":"What became of each node",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
node"}),t("th",{scope:"col",children:"wave"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"reason"})]})}),t("tbody",{children:d.nodes.map(
u=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:E(["nodes",u.node]),children:u.name??u.node})}),t("td",{children:u.wave}),t("td",{class:u.state===
"done"?"good":u.state==="failed"?"wrong":"",children:qo[u.state]}),t("td",{class:"wrap",children:u.reason??""})]},u.place))})]})}),t("p",{class:"row",children:[
s>=0&&t(b,{small:!0,onClick:()=>a(-1),children:"First ones"}),d.next!==null&&t(b,{small:!0,onClick:()=>a(d.next??-1),children:["Next ",As]})]})]})})})}function Pl(e){let n=[],o=-1,r=!1;for(let s=0;s<=e.length;s+=1){let a=e[s];a==='"'&&(r=!r);let i=a===void 0||!r&&/\s/.test(a);i&&o>=0?(n.push({start:o,end:s,text:e.
slice(o,s)}),o=-1):!i&&o<0&&(o=s)}return n}var Kn={state:{about:"provision state or its class",values:["failed","working","waiting","held","ready","in_use",...Object.
keys(qe)]},name:{about:"name, with * at either end"},class:{about:"resource class",by:"resource_class"},driver:{about:"hardware type",by:"driver"},conductor:{about:"\
who looks after it",by:"conductor"},group:{about:"conductor group",by:"conductor_group"},chassis:{about:"chassis",by:"chassis"},shard:{about:"shard",by:"shard"},
owner:{about:"owning project",by:"owner"},lessee:{about:"leasing project",by:"lessee"},power:{about:"power state",by:"power"},trait:{about:"trait",by:"trait"},maint:{
about:"in maintenance",values:["yes","no"]},retired:{about:"retired",values:["yes","no"]},protected:{about:"protected",values:["yes","no"]},fault:{about:"fault \
the service found"},error:{about:"words of the last error"},cause:{about:"cause of a failure"},instance:{about:"UUID of the instance"},mac:{about:"MAC address o\
f a port"},bmc:{about:"address of the BMC"},uuid:{about:"UUID"},"age>":{about:"longer in its state than 30m, 2h, 1d"},"age<":{about:"shorter in its state than"}};
function Uo(e){return e===""||/[\s",:]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function Jn(e,n){let o=Pl(e).find(c=>n>=c.start&&n<=c.end)??{start:n,end:n,text:""},
r=o.text.startsWith("-")?"-":"",s=o.text.slice(r.length),a=s.indexOf(":");if(a<0)return{word:o,minus:r,key:null,typed:s,before:""};let i=s.slice(a+1),l=i.lastIndexOf(
",");return{word:o,minus:r,key:s.slice(0,a),typed:i.slice(l+1).replaceAll('"',""),before:i.slice(0,l+1)}}function Rs(e,n,o){let{minus:r,key:s,typed:a,before:i}=Jn(
e,n),l=a.toLowerCase();return s===null?Object.entries(Kn).filter(([p])=>p.startsWith(l)).map(([p,{about:f}])=>({insert:p.startsWith("age")?p:`${r}${p}:`,label:p.
startsWith("age")?p:`${p}:`,about:f,done:!1})):(Kn[s]?.values?.map(u=>({name:u,about:""}))??o.map(({name:u,total:p})=>({name:u??"",about:String(p)}))).filter(({
name:u})=>u.toLowerCase().includes(l)).slice(0,12).map(({name:u,about:p})=>({insert:`${r}${s}:${i}${Uo(u)}`,label:u===""?"(none)":u,about:p,done:!0}))}function Ls(e,n,o){
let{word:r}=Jn(e,n),s=e.slice(r.end),a=o.done&&!s.startsWith(" ")?o.insert+" ":o.insert;return{query:e.slice(0,r.start)+a+s,caret:r.start+a.length}}function Ds(){let e=N("/corten/v1/status",{every:5e3});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Conductors"}),
t("span",{class:"spring"}),t(ie,{commands:{corten:"corten status",curl:X("GET","/corten/v1/status")}})]}),t(V,{doc:e,lines:8,children:n=>t(x,{children:[t(Nl,{status:n}),
t("div",{class:"cards",children:n.conductors.map(o=>t(Ol,{one:o},o.host))}),t(Rl,{status:n}),t("div",{class:"cards",children:[t(O,{title:"Leases",level:3,children:[
t("div",{class:"figures",children:[t(tt,{value:q(n.leases.count),label:"held"}),t(tt,{value:q(n.leases.orphaned),label:"without an owner"})]}),n.leases.quietest!==
null&&t("p",{class:"faint",children:["The quietest is ",t("a",{href:E(["nodes",n.leases.quietest.name??n.leases.quietest.node]),children:n.leases.quietest.name??
n.leases.quietest.node}),", ",$e(n.leases.quietest.quiet_s)," without a word."]})]}),t(O,{title:"Database",level:3,children:t(ge,{rows:[["Engine",n.database.engine],
["Answers within",n.database.latency_s===null?null:`${(n.database.latency_s*1e3).toFixed(1)} ms`],["Size",n.database.size_bytes===null?null:we(n.database.size_bytes)],
["Place",t("code",{children:n.database.location})],["Error",n.database.error]]})}),t(O,{title:"Webhooks",level:3,children:t("div",{class:"figures",children:[t(tt,
{value:q(n.webhooks.count),label:"in all"}),t(tt,{value:q(n.webhooks.failing),label:"failing"}),t(tt,{value:q(n.webhooks.dead_letters),label:"dead letters"})]})})]})]})})]})}
function tt({value:e,label:n}){return t("div",{class:"figure",children:[t("strong",{children:e}),t("span",{children:n})]})}function Nl({status:e}){return e.problems.
length===0?t("div",{class:"all-well",children:[t(M,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"The service is well"}),t("p",{class:"\
faint",children:[e.process.host," speaks, ",e.process.role,", version ",e.process.version,"."]})]})]}):t(O,{title:"Problems",class:"problems",children:t("ul",{class:"\
causes",children:e.problems.map(n=>t("li",{class:"cause",children:[t("span",{class:`cause-count${n.severity==="error"?"":" cause-warn"}`,children:t(M,{name:"war\
n"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:n.text}),t("p",{class:"cause-advice",children:n.advice})]})]},n.code))})})}
function Ol({one:e}){let[n,o]=g(!1),r=e.state==="alive",s=(e.passes??[]).filter(a=>a.lag_s>Math.max(5,a.interval_s/2));return t(O,{level:3,title:t(x,{children:[
t(K,{look:r?"in_use":"failed"})," ",e.host]}),actions:t("a",{class:"button button-quiet button-small",href:E(["nodes"],{q:`conductor:${Uo(e.host)}`}),children:"\
Its nodes"}),children:[t("div",{class:"figures",children:[t(tt,{value:q(e.nodes),label:"nodes"}),t(tt,{value:e.workers===null?"\u2013":`${e.workers_busy??0} of ${e.
workers}`,label:"workers busy"}),t(tt,{value:q(e.leases),label:"leases"}),t(tt,{value:e.uptime_s===null?"\u2013":$e(e.uptime_s),label:"up"})]}),t(ge,{rows:[["St\
ate",r?e.may_act===!1?"alive, but may not act":"alive":`${e.state}, silent for ${$e(e.last_seen_s)}`],["Group",e.group],["Version",e.version],["Drivers",e.drivers.
join(", ")],["Error",e.error===null?null:t("span",{class:"wrong",children:e.error})]]}),s.length>0&&t("p",{class:"wrong",children:[t(M,{name:"warn"})," late: ",
s.map(a=>`${a.name} by ${$e(a.lag_s)}`).join(", ")]}),e.passes!==null&&t(b,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:n?"Hide passes":`${e.passes.
length} periodic passes`}),n&&e.passes!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",
{scope:"col",children:"pass"}),t("th",{scope:"col",class:"num",children:"every"}),t("th",{scope:"col",class:"num",children:"late by"}),t("th",{scope:"col",class:"\
num",children:"took"}),t("th",{scope:"col",class:"num",children:"visited"}),t("th",{scope:"col",class:"num",children:"failed"}),t("th",{scope:"col",children:"la\
st"})]})}),t("tbody",{children:e.passes.map(a=>t("tr",{children:[t("th",{scope:"row",children:a.name.replaceAll("_"," ")}),t("td",{class:"num",children:$e(a.interval_s)}),
t("td",{class:"num",children:a.lag_s<1?"":$e(a.lag_s)}),t("td",{class:"num",children:a.rounds===0?"":`${a.last_duration_s.toFixed(2)} s`}),t("td",{class:"num",children:a.
rounds===0?"":q(a.last_visited)}),t("td",{class:`num${a.last_failed>0?" wrong":""}`,children:a.last_failed===0?"":q(a.last_failed)}),t("td",{children:a.is_running?
"now":a.last_began===null?"not yet":`${Te(a.last_began)} ago`})]},a.name))})]})})]})}function Rl({status:e}){return e.ring.length===0?null:t(O,{title:"Who looks\
 after what",level:3,children:t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
driver"}),t("th",{scope:"col",children:"group"}),t("th",{scope:"col",class:"num",children:"nodes"}),t("th",{scope:"col",children:"shares"})]})}),t("tbody",{children:e.
ring.map(n=>t("tr",{children:[t("th",{scope:"row",children:n.driver}),t("td",{children:n.group===""?t("span",{class:"faint",children:"default"}):n.group}),t("td",
{class:"num",children:q(n.nodes)}),t("td",{children:n.shares.map(o=>`${o.host} ${Math.round(o.share*100)} %`).join(", ")})]},n.group+n.driver))})]})})})}var Ll=1e4;async function Vn(e,n){let o=Date.now()+Ll;for(;;)try{return await e()}catch(r){if(!(r instanceof Ae&&r.status===409&&r.passes)||Date.now()>o)throw r;
n?.(r),await new Promise(a=>window.setTimeout(a,Math.min(1e3,(r.retryAfter??1)*1e3)))}}function nt(e,n,o){return Vn(()=>F("PUT",`/v1/nodes/${S(e)}/states/provis\
ion`,n),o)}function Ho(e,n,o){return Vn(()=>F("PUT",`/v1/nodes/${S(e)}/states/power`,{target:n}),o)}function Ko(e,n,o){let r=`/v1/nodes/${S(e)}/maintenance`;return Vn(
()=>n?F("PUT",r,{reason:o}):F("DELETE",r))}function Wt(e,n){return Vn(()=>F("PATCH",`/v1/nodes/${S(e)}`,n))}var St=["name","driver","address","username","password","mac","class"],Is={host:"name",hostname:"name",node:"name",server:"name",type:"driver",hardware_type:"dr\
iver",bmc:"address",bmc_address:"address",ip:"address",redfish_address:"address",ipmi_address:"address",user:"username",login:"username",redfish_username:"usern\
ame",ipmi_username:"username",pass:"password",redfish_password:"password",ipmi_password:"password",macs:"mac",mac_address:"mac",port:"mac",resource_class:"class"};
function Dl(e,n){let o=[],r=[],s="",a=!1;for(let i=0;i<e.length;i+=1){let l=e[i]??"";a?l==='"'&&e[i+1]==='"'?(s+='"',i+=1):l==='"'?a=!1:s+=l:l==='"'&&s===""?a=!0:
l===n?(r.push(s.trim()),s=""):l===`
`||l==="\r"?(l==="\r"&&e[i+1]===`
`&&(i+=1),r.push(s.trim()),s="",r.some(c=>c!=="")&&o.push(r),r=[]):s+=l}return r.push(s.trim()),r.some(i=>i!=="")&&o.push(r),o}function Bs(){return{name:"",driver:"",
address:"",username:"",password:"",mac:"",class:"",extra:{}}}function Jo(e,n,o){let r=n.trim().toLowerCase(),s=St.includes(r)?r:Is[r];s!==void 0?e[s]=o:r.startsWith(
"extra.")&&o!==""&&(e.extra[n.trim().slice(6)]=o)}function qs(e){let n=e.trim();if(n==="")return{machines:[],unknown:[],error:null};if(n.startsWith("[")||n.startsWith(
"{"))return Il(n);let o=n.split(/\r?\n/,1)[0]??"",r=o.includes("	")?"	":o.includes(";")&&!o.includes(",")?";":",",[s,...a]=Dl(n,r);if(s===void 0)return{machines:[],
unknown:[],error:null};let i=c=>St.includes(c.toLowerCase())||c.toLowerCase()in Is||c.toLowerCase().startsWith("extra.");return s.some(i)?{machines:a.map(c=>{let d=Bs();
for(let[u,p]of s.entries())Jo(d,p,c[u]??"");return d}),unknown:s.filter(c=>c!==""&&!i(c)),error:null}:{machines:[],unknown:[],error:`The first line has to name \
the columns: ${St.join(", ")}, extra.\u2026`}}function Il(e){try{let n=JSON.parse(e);return{machines:(Array.isArray(n)?n:n.nodes??[n]).map(s=>{let a=Bs();for(let[
i,l]of Object.entries(s))if(i==="extra"&&typeof l=="object"&&l!==null)for(let[c,d]of Object.entries(l))a.extra[c]=String(d);else Array.isArray(l)?Jo(a,i,l.join(
" ")):l!==null&&typeof l!="object"&&Jo(a,i,String(l));return a}),unknown:[],error:null}}catch(n){return{machines:[],unknown:[],error:n instanceof Error?n.message:
String(n)}}}var Bl=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i,ql=/^[A-Za-z0-9][A-Za-z0-9._~-]*$/;function Ct(e){return e.split(/[\s,;]+/).filter(n=>n!=="")}function Fs(e,n,o){
let r=new Map,s=new Map;for(let a of e){r.set(a.name,(r.get(a.name)??0)+1);for(let i of Ct(a.mac))s.set(i.toLowerCase(),(s.get(i.toLowerCase())??0)+1)}return e.
map(a=>{let i={};a.name!==""&&!ql.test(a.name)?i.name="not a valid name":a.name!==""&&(r.get(a.name)??0)>1?i.name="twice in this list":o.has(a.name)&&(i.name="t\
here is a node of this name"),a.driver===""?i.driver="missing":n.length>0&&!n.includes(a.driver)&&(i.driver=`not one of ${n.join(", ")}`),a.driver!=="fake-hardw\
are"&&a.address===""?i.address="missing":/\s/.test(a.address)&&(i.address="has a space");for(let l of Ct(a.mac))Bl.test(l)?(s.get(l.toLowerCase())??0)>1&&(i.mac=
"twice in this list"):i.mac=`${l} is no MAC address`;return i})}function js(e){let n={},o=e.driver==="ipmi"?"ipmi":"redfish";return e.driver!=="fake-hardware"&&
(e.address!==""&&(n[`${o}_address`]=e.address),e.username!==""&&(n[`${o}_username`]=e.username),e.password!==""&&(n[`${o}_password`]=e.password)),{driver:e.driver,
...e.name===""?{}:{name:e.name},...e.class===""?{}:{resource_class:e.class},driver_info:n,...Object.keys(e.extra).length===0?{}:{extra:e.extra}}}var Fl=8,Vo=200;function Ws({drivers:e,why:n}){let[o,r]=g(""),[s,a]=g([]),[i,l]=g([]),[c,d]=g(null),[u,p]=g(new Set),[f,m]=g(!0),[h,_]=g(!1),$=A=>{r(A);let ee=qs(
A);d(ee.error),l(ee.unknown),a(ee.machines.map(ce=>({machine:ce,fate:"new",words:null})))},T=s.filter(A=>A.fate!=="done").map(A=>A.machine.name).filter(A=>A!==""),
y=T.join(" ");L(()=>{if(y==="")return;let A=window.setTimeout(()=>Us(T).then(p,()=>{}),400);return()=>window.clearTimeout(A)},[y]);let v=s.filter(A=>A.fate!=="d\
one"),w=Fs(v.map(A=>A.machine),e,u),P=w.filter(A=>Object.keys(A).length>0).length,k=s.length-v.length,R=(A,ee,ce)=>{a(s.map(D=>D===A?{...D,machine:{...D.machine,
[ee]:ce}}:D))},C=async()=>{_(!0);let A=[...v],ee=new Map,ce=()=>a(s.map(de=>ee.get(de)??de)),D=async()=>{for(let de=A.shift();de!==void 0;de=A.shift())ee.set(de,
{...de,fate:"asked",words:null}),ce(),ee.set(de,await jl(de,f)),ce()};await Promise.all(Array.from({length:Fl},D));let ae=[...ee.values()].filter(de=>de.fate===
"failed").length;W(ae===0?`${pe(ee.size,"machine")} enrolled.`:`${pe(ae,"machine")} could not be enrolled.`),_(!1)},H=n??(v.length===0?"there is nothing to enro\
l":P>0?`${pe(P,"row")} to be corrected`:null);return t(x,{children:[t(O,{title:"Paste a table",level:3,children:t(B,{label:"CSV with a header, or JSON",error:c,
hint:i.length>0?`Left out: ${i.join(", ")}.`:`Columns: ${St.join(", ")}, extra.\u2026`,children:(A,ee)=>t("textarea",{id:A,class:"area","aria-describedby":ee,spellcheck:!1,
autofocus:!0,placeholder:`name,driver,address,username,password,mac,class
web-01,redfish,10.0.0.11,admin,\u2026,52:54:00:12:34:56,web`,value:o,onInput:ce=>$(ce.currentTarget.value)})})}),s.length>0&&t(O,{level:3,title:pe(s.length,"mac\
hine"),actions:t(x,{children:[t("span",{role:"status",class:P>0?"wrong":"faint",children:[k>0&&`${k} enrolled. `,P>0?`${pe(P,"row")} to be corrected.`:v.length>
0?"All rows are well formed.":""]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:f,onChange:A=>m(A.currentTarget.checked)})," veri\
fy each"]}),t(b,{kind:"main",why:H,busy:h,onClick:()=>{C()},children:["Enrol ",v.length>0?v.length:""]})]}),children:t("div",{class:"scroll-x scroll-y",tabIndex:0,
role:"region","aria-label":"Machines to enrol",children:[t("table",{class:"table csv-table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col"}),
St.map(A=>t("th",{scope:"col",children:A},A)),t("th",{scope:"col",children:"what is wrong"})]})}),t("tbody",{children:s.slice(0,Vo).map((A,ee)=>{let ce=A.fate===
"done"?{}:w[v.indexOf(A)]??{};return t("tr",{children:[t("td",{children:t(K,{look:A.fate==="done"?"in_use":A.fate==="failed"?"failed":A.fate==="asked"?"working":
"ready"})}),St.map(D=>t("td",{class:ce[D]===void 0?"":"cell-wrong",children:A.fate==="done"&&D==="name"?t("a",{href:E(["nodes",A.machine.name]),children:A.machine.
name}):t("input",{"aria-label":`${D} of row ${ee+1}`,type:D==="password"?"password":"text",autocomplete:"off",disabled:A.fate==="done"||h,value:A.machine[D],onInput:ae=>R(
A,D,ae.currentTarget.value)})},D)),t("td",{class:"wrong",children:[Object.entries(ce).map(([D,ae])=>`${D}: ${ae}`).join("; "),A.words!==null&&t(x,{children:[t(M,
{name:"warn"})," ",A.words]})]})]},ee)})})]}),s.length>Vo&&t("p",{class:"faint",children:[s.length-Vo," more rows are checked and enrolled, but not drawn."]})]})})]})}
async function jl(e,n){let o=s=>s instanceof Error?s.message:String(s),r;try{r=await F("POST","/v1/nodes",js(e.machine))}catch(s){return{...e,fate:"failed",words:o(
s)}}if(r===null)return{...e,fate:"failed",words:"the service gave no answer"};try{for(let s of Ct(e.machine.mac))await F("POST","/v1/ports",{node_uuid:r.uuid,address:s})}catch(s){
return await F("DELETE",`/v1/nodes/${S(r.uuid)}`).catch(()=>{}),{...e,fate:"failed",words:o(s)}}if(n)try{await nt(r.uuid,{target:"manage"})}catch(s){return{...e,
fate:"done",words:o(s)}}return{...e,fate:"done",words:null}}function Hs(){let e=Q.value.get("as")==="many",n=N("/v1/drivers"),o=oe(le.value,Oe.create);return t("div",{class:"stack enrol",children:[t("div",{class:"page-he\
ad",children:[t("h1",{children:"Enrol machines"}),t("div",{class:"segmented",role:"radiogroup","aria-label":"How many",children:[t("label",{children:[t("input",
{type:"radio",name:"many",checked:!e,onChange:()=>U({as:null})}),t("span",{children:"One machine"})]}),t("label",{children:[t("input",{type:"radio",name:"many",
checked:e,onChange:()=>U({as:"many"})}),t("span",{children:"Many"})]})]})]}),o!==null&&t("p",{class:"wrong",children:["You cannot enrol: ",o,"."]}),t(V,{doc:n,children:r=>{
let s=r.drivers.map(a=>a.name).sort();return e?t(Ws,{drivers:s,why:o}):t(Hl,{drivers:s,why:o})}})]})}function Wl(e,n){return/_(address|username|password)$/.test(
e)||/required/i.test(n.slice(-12))}function Ul(e){return/password|secret|key$|token/.test(e)&&!/key_file/.test(e)}function Hl({drivers:e,why:n}){let[o,r]=g(e.includes(
"redfish")?"redfish":e[0]??""),[s,a]=g(""),[i,l]=g(""),[c,d]=g(""),[u,p]=g({}),[f,m]=g(!1),h=N(o===""?null:`/v1/drivers/${S(o)}/properties`),_=Ct(c).find(v=>!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.
test(v)),$=(v,w)=>t(B,{label:v,hint:w,children:(P,k)=>t("input",{id:P,class:"input",type:Ul(v)?"password":"text",autocomplete:"off",spellcheck:!1,"aria-describe\
dby":k,placeholder:v==="redfish_address"?"https://bmc.example":"",value:u[v]??"",onInput:R=>{let{value:C}=R.currentTarget;p(H=>({...H,[v]:C}))}})},v),T=async v=>{
m(!0);try{let w=Object.fromEntries(Object.entries(u).filter(([,R])=>R!=="")),P={driver:o,driver_info:w,...s===""?{}:{name:s},...i===""?{}:{resource_class:i}},k=await F(
"POST","/v1/nodes",P);if(k===null)return;for(let R of Ct(c))await F("POST","/v1/ports",{node_uuid:k.uuid,address:R});W(`${s===""?k.uuid:s} is enrolled.`),v&&await nt(
k.uuid,{target:"manage"}),Z(E(["nodes",k.name??k.uuid],{tab:v?"timeline":null}))}catch(w){J("The machine could not be enrolled",w)}m(!1)},y=n??(_===void 0?null:
`${_} is no MAC address`);return t("form",{class:"form enrol-one",onSubmit:v=>{v.preventDefault(),y===null&&T(!0)},children:[t(O,{title:"The machine",level:3,children:t(
"div",{class:"form",children:t("div",{class:"pair",children:[t(B,{label:"Driver",hint:"How its BMC is spoken to.",children:v=>t("select",{id:v,class:"input",value:o,
onChange:w=>r(w.currentTarget.value),children:e.map(w=>t("option",{value:w,children:w},w))})}),t(B,{label:"Name",hint:"Letters, digits, dots and dashes.",children:v=>t(
"input",{id:v,class:"input",autofocus:!0,autocomplete:"off",spellcheck:!1,value:s,onInput:w=>a(w.currentTarget.value.trim())})}),t(B,{label:"Resource class",hint:"\
What kind of machine it is, such as gpu.",children:v=>t("input",{id:v,class:"input",value:i,onInput:w=>l(w.currentTarget.value.trim())})}),t(B,{label:"MAC addre\
sses",hint:"Of the ports it boots from; separated by spaces.",error:_===void 0?null:`${_} is no MAC address.`,children:v=>t("input",{id:v,class:"input",spellcheck:!1,
value:c,onInput:w=>d(w.currentTarget.value)})})]})})}),t(O,{title:"How to reach its BMC",level:3,children:t(V,{doc:h,children:v=>{let w=Object.entries(v).sort(),
P=C=>C.endsWith("_address")?0:C.endsWith("_username")?1:C.endsWith("_password")?2:3,k=w.filter(([C,H])=>Wl(C,H)).sort(([C],[H])=>P(C)-P(H)),R=w.filter(C=>!k.includes(
C));return w.length===0?t("p",{class:"faint",children:"This driver needs nothing."}):t("div",{class:"form",children:[t("div",{class:"pair",children:k.map(([C,H])=>$(
C,H))}),R.length>0&&t("details",{children:[t("summary",{children:[R.length," more settings"]}),t("div",{class:"pair",children:R.map(([C,H])=>$(C,H))})]})]})}})}),
t("div",{class:"row",children:[t(b,{kind:"main",type:"submit",why:y,busy:f,children:"Enrol and verify now"}),t(b,{why:y,busy:f,onClick:()=>{T(!1)},children:"Enr\
ol only"}),t("span",{class:"faint",children:"Verifying speaks to the BMC and leads to \u201Cmanageable\u201D."})]})]})}async function Us(e){let n=new Set;for(let o=0;o<
e.length;o+=25){let r=e.slice(o,o+25).filter(a=>/^[\w.~-]+$/.test(a));if(r.length===0)continue;let s=await te(`/corten/v1/nodes?fields=name&limit=25&q=${S(`name\
:${r.join(",")}`)}`);for(let a of s.nodes)n.add(a.name)}return n}function Ut(e,n){let o=`corten.${e}`,r=n;try{let i=localStorage.getItem(o);i!==null&&(r=JSON.parse(i))}catch{}let s=G(r),a=!0;return Ve(()=>{let i=JSON.stringify(
s.value);a||localStorage.setItem(o,i),a=!1}),s}var Ye=Ut("letters",!0),Tt=Ut("columns",["name","state","since","power","class","conductor","matter"]),rt=Ut("vie\
ws",[]),Go=Ut("group","resource_class"),Gn=Ut("images",[]),pn=Ut("console.font",14),ot=G(Kl());function Kl(){let e=localStorage.getItem("corten.theme");return e===
"light"||e==="dark"?e:"system"}var Ks=matchMedia("(prefers-color-scheme: dark)"),zo=G(0);function Js(){let e=ot.value==="dark"||ot.value==="system"&&Ks.matches;
document.documentElement.dataset.theme=e?"dark":"light",zo.value+=1}Ks.addEventListener("change",Js);function Ht(e){ot.value=e,e==="system"?localStorage.removeItem(
"corten.theme"):localStorage.setItem("corten.theme",e),Js()}var mn=G([]);function Yo(){return mn.value.flat()}function Be(e){Ke(()=>(mn.value=[...mn.peek(),e],()=>{mn.value=mn.peek().filter(n=>n!==e)}))}function Jl(e){return e instanceof
HTMLElement?e.isContentEditable||["INPUT","TEXTAREA","SELECT"].includes(e.tagName)||e.closest(".terminal")!==null:!1}var fn=null,Vs;function Qo(e){let n=document.
querySelector("dialog[open]")!==null,o=!e.ctrlKey&&!e.metaKey&&!e.altKey;if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k"&&!Vl(e.target)){e.preventDefault(),
Et.value=!Et.value;return}if(n||!o||Jl(e.target))return;let r=e.key.length===1;if(r&&!Ye.value)return;let s=fn===null?e.key:`${fn} ${e.key}`;fn=null,window.clearTimeout(
Vs);let a=Yo(),i=a.findLast(l=>l.keys===s)??a.findLast(l=>l.keys===e.key);i!==void 0?(e.preventDefault(),i.run(e)):r&&a.some(l=>l.keys.startsWith(e.key+" "))&&(fn=
e.key,Vs=window.setTimeout(()=>fn=null,1500))}function Vl(e){return e instanceof Element&&e.closest(".terminal")!==null}var Et=G(!1),hn=G(!1);var zs=1e4,Zo=400,Gl=["created","provision","power","step","error","warning","maintenance","console","updated","resumed","deleted"];function Ys(){let e=Q.value.
get("kind")??"",n=Q.value.get("node")??"",o=Q.value.get("project")??"",r=Q.value.get("after"),[s,a]=g(null),[i,l]=g(null),[c,d]=g(!1),u=Y([]),[p,f]=g(0),[m,h]=g(
null),_=[["kind",e],["node",n],["project",o]].map(([y,v])=>v===""?"":`&${y}=${S(v??"")}`).join("");L(()=>{let y=!1;return a(null),l(null),(async()=>{try{let w=r===
null?await Yl():Number(r),P=await te(`/corten/v1/events?limit=1000&after=${w}${_}`);y||a(P.events.reverse())}catch(w){y||l(_e(w))}})(),()=>{y=!0}},[_,r]),L(()=>{
if(r!==null)return;let y=v=>{v.length!==0&&(c?(u.current=[...v.reverse(),...u.current].slice(0,zs),f(u.current.length)):a(w=>Gs(w??[],v)))};return o!==""?zl(_,y):
ft(v=>y(v.filter(w=>(e===""||w.kind===e)&&(n===""||w.node===n||w.node_name===n))))},[_,r,c]);let $=()=>{a(y=>Gs(y??[],u.current.reverse())),u.current=[],f(0),d(
!1)};Be([{keys:"p",about:"pause, and follow again",run:()=>c?$():d(!0)}]);let T=i!==null&&i.status===410?i.body:null;return t("div",{class:"stack",children:[t("\
div",{class:"page-head",children:[t("h1",{children:"Events"}),t("select",{class:"select","aria-label":"Kind",value:e,onChange:y=>U({kind:y.currentTarget.value}),
children:[t("option",{value:"",children:"all kinds"}),Gl.map(y=>t("option",{value:y,children:y},y))]}),t("input",{class:"input filter","aria-label":"Node",placeholder:"\
node",value:n,onChange:y=>U({node:y.currentTarget.value.trim()})}),t("input",{class:"input filter","aria-label":"Project",placeholder:"project",value:o,onChange:y=>U(
{project:y.currentTarget.value.trim()})}),t("label",{class:"inline-label",children:["at"," ",t("input",{class:"input filter",type:"datetime-local",onChange:y=>{
let v=y.currentTarget.value;v===""?U({after:null}):Ql(new Date(v).getTime()).then(w=>U({after:String(w)}),w=>l(_e(w)))}})]}),r===null?t(b,{small:!0,pressed:c,onClick:()=>c?
$():d(!0),children:[t(M,{name:c?"play":"pause"})," ",c?`Follow${p>0?` \xB7 ${q(p)} new`:""}`:"Pause"]}):t(b,{small:!0,kind:"main",onClick:()=>U({after:null}),children:"\
Follow the newest"}),t("span",{class:"spring"}),t(ie,{commands:{corten:`corten events${n===""?"":` --node ${re(n)}`}${e===""?"":` --kind ${e}`}`,curl:X("GET",`/\
corten/v1/events?after=0${_}`)}})]}),i!==null&&t("div",{class:"stack",children:[t(ke,{error:i}),T?.oldest!==void 0&&t(b,{onClick:()=>U({after:String((T.oldest??
1)-1)}),children:"Read from the oldest event that is kept"})]}),i===null&&s===null&&t(Me,{lines:10}),s!==null&&s.length===0&&t(j,{title:"No event matches",children:"\
Everything that happens to machines is written here."}),s!==null&&s.length>0&&t("div",{class:"panel event-list",children:[s.slice(0,Zo).map(y=>t("div",{class:"e\
vent-row",children:[t("time",{dateTime:y.at,title:_t(y.at),children:new Date(y.at).toLocaleTimeString("en-GB")}),t("a",{href:E(["nodes",y.node_name??y.node]),children:y.
node_name??y.node.slice(0,8)}),t("span",{class:`kind-${y.kind}`,children:y.kind}),t("span",{class:"event-text",children:y.text}),t(b,{small:!0,kind:"quiet",label:`\
JSON of event ${y.cursor}`,expanded:m===y.cursor,onClick:()=>h(m===y.cursor?null:y.cursor),children:"JSON"}),m===y.cursor&&t("pre",{class:"json event-json",children:JSON.
stringify(y,null,2)})]},y.cursor)),s.length>Zo&&t("p",{class:"faint event-row",children:[q(s.length-Zo)," older ones are not drawn; filter to see them."]})]})]})}
function zl(e,n){let o=new AbortController;return(async()=>{let s=Ie.peek();for(;!o.signal.aborted;){let a=await te(`/corten/v1/events?wait=20&after=${s}${e}`,o.
signal);s=a.next,n(a.events)}})().catch(()=>{}),()=>o.abort()}function Gs(e,n){let o=e[0]?.cursor??0;return[...n.filter(s=>s.cursor>o).sort((s,a)=>a.cursor-s.cursor),
...e].slice(0,zs)}async function Yl(){let n=(await te("/corten/v1/status")).database.newest_event;return Math.max(0,(n?.cursor??0)-300)}async function Ql(e){let n=await te(
"/corten/v1/status"),o=n.database.oldest_event?.cursor??1,r=n.database.newest_event?.cursor??1;for(;o<r;){let s=Math.floor((o+r)/2),i=(await te(`/corten/v1/even\
ts?limit=1&after=${s-1}`)).events[0];i===void 0||Date.parse(i.at)>=e?r=s:o=Math.max(i.cursor,s)+1}return Math.max(0,o-1)}function Zl(e,n){let o=[],r=0;for(let s of e.matchAll(/([a-zA-Z])(\d+)/g)){let a=s[1]??"",i=n[a.toLowerCase()],l=Number(s[2]);i===void 0||l<=0||(o.push({look:i,
aside:a!==a.toLowerCase(),count:l,start:r}),r+=l)}return o}var Xl=[[26,4],[20,4],[14,3],[12,2],[10,2],[8,2],[7,1],[6,1],[5,1],[4,1],[4,0],[3,0]],ec=10,Qs=20;function Zs(e,n,o,r){
let s=o<640,a=s?0:168,i;for(let[c,d]of Xl){let u=c+d,p=Math.max(1,Math.floor((o-a)/u)),f=0,m=[];for(let h of e){let _=Math.max(1,Math.ceil(h.total/p)),$=s?f+Qs:
f,T=Math.max(_*u,s?0:Qs);m.push({group:h,runs:[],y:$,height:T}),f=$+T+ec}if(i={cell:c,gap:d,columns:p,left:a,width:o,height:Math.max(f,1),blocks:m},f<=(c>14?r/4:
r))break}let l=i;for(let c of l.blocks)c.runs=Zl(c.group.cells,n);return l}function Xs(e,n,o){let r=e.cell+e.gap,s=Math.floor((n-e.left)/r);if(s<0||s>=e.columns)
return null;for(let[a,{y:i,height:l,group:c}]of e.blocks.entries()){if(o<i||o>=i+l)continue;let d=Math.floor((o-i)/r)*e.columns+s;return d<c.total?{block:a,index:d}:
null}return null}function ea(e,n,o){let r=e.blocks[n.block];if(r===void 0)return n;let{total:s}=r.group,a=n.index;if(o==="ArrowRight"?a+=1:o==="ArrowLeft"?a-=1:
o==="ArrowDown"?a+=e.columns:o==="ArrowUp"?a-=e.columns:o==="Home"?a=0:o==="End"&&(a=s-1),a>=s){let i=e.blocks[n.block+1];return i===void 0?{block:n.block,index:s-
1}:{block:n.block+1,index:o==="ArrowDown"?Math.min(n.index%e.columns,i.group.total-1):0}}if(a<0){let i=e.blocks[n.block-1];return i===void 0?{block:0,index:0}:{
block:n.block-1,index:i.group.total-1}}return{block:n.block,index:a}}function ta(e,n){return e.runs.find(o=>n>=o.start&&n<o.start+o.count)}function Xo(e,n){let o=e.
blocks[n.block],r=e.cell+e.gap;return{x:e.left+n.index%e.columns*r,y:(o?.y??0)+Math.floor(n.index/e.columns)*r}}var Pe=G(new Map);var tc=560,gn=5;function st(...e){return e.filter(n=>n!=null&&n!=="").join(" ")}function nc(){let e=getComputedStyle(document.documentElement),n=o=>e.getPropertyValue(
o).trim();return{ready:n("--ready"),in_use:n("--in-use"),working:n("--working"),waiting:n("--waiting"),held:n("--held"),failed:n("--failed"),text:n("--text"),faint:n(
"--faint"),back:n("--panel"),focus:n("--focus")}}function er(e){return e===null||e===""?"(none)":e}function oa({map:e,q:n}){let o=Y(null),r=Y(null),[s,a]=g(0),[
i,l]=g(null),[c,d]=g(null),u=oc(e,n,i),p=s===0?null:Zs(e.groups,e.letters,s,tc);Ke(()=>{let v=o.current;if(v===null)return;let w=()=>a(v.clientWidth);w();let P=new ResizeObserver(
w);return P.observe(v),()=>P.disconnect()},[]);let f=zo.value;Ke(()=>{r.current!==null&&p!==null&&rc(r.current,p,i,c)},[e,s,i,c,f]);let m=v=>{let w=r.current?.getBoundingClientRect();
return w===void 0||p===null?null:Xs(p,v.clientX-w.left,v.clientY-w.top)},h=()=>{u!==void 0&&Z(E(["nodes",u.name??u.uuid]))},_=async()=>{if(c===null)return;d(null);
let v=p?.blocks[c.from.block],[w,P]=[Math.min(c.from.index,c.to.index),Math.max(c.from.index,c.to.index)];if(v===void 0||c.from.block!==c.to.block)return;if(w===
P)return h();let k=st(n,v.group.q),R=await te(`/corten/v1/nodes?fields=uuid,name&sort=name&limit=${Math.min(1e3,P-w+1)}&offset=${w}&q=${S(k)}`);Pe.value=new Map(
R.nodes.map(C=>[C.uuid,C.name??C.uuid])),Z(E(["nodes"],{q:k}))},$=p!==null&&i!==null?Xo(p,i):null,T=i===null?void 0:p?.blocks[i.block],y=T===void 0||i===null?void 0:
ta(T,i.index);return t("div",{class:"map",ref:o,tabIndex:0,role:"application","aria-label":`Map of ${q(e.total)} nodes. Arrow keys move, Enter opens a node, t s\
hows a table.`,onKeyDown:v=>{if(!(p===null||p.blocks.length===0)){if(v.key==="Enter")h();else if(v.key==="Escape")l(null);else if(v.key.startsWith("Arrow")||v.key===
"Home"||v.key==="End")l(i===null?{block:0,index:0}:ea(p,i,v.key));else return;v.preventDefault()}},onBlur:()=>l(null),children:[t("canvas",{ref:r,class:"map-can\
vas","aria-hidden":"true",onPointerMove:v=>{let w=m(v);c!==null&&w!==null&&w.block===c.from.block&&d({...c,to:w}),(w?.block!==i?.block||w?.index!==i?.index)&&l(
w)},onPointerLeave:()=>{l(null),d(null)},onPointerDown:v=>{let w=m(v);w!==null&&v.button===0&&d({from:w,to:w})},onPointerUp:()=>{_()}}),$!==null&&y!==void 0&&p!==
null&&t("div",{class:"map-tip",role:"status",style:{left:`${Math.max(0,Math.min($.x,s-250))}px`,top:`${$.y+p.cell+6}px`},children:u===void 0?t("span",{class:"fa\
int",children:[y.look.replace("_"," ")," \u2026"]}):t(x,{children:[t("strong",{children:u.name??u.uuid}),t(pt,{state:u.provision_state,target:u.target_provision_state,
maintenance:u.maintenance}),t("span",{class:"faint",children:["since ",Te(u.provision_updated_at)]}),u.cause!==null&&t("span",{class:"map-cause",children:u.cause.
sentence})]})})]})}function oc(e,n,o){let[r,s]=g({key:"",row:void 0}),a=o===null?void 0:e.groups[o.block],i=a===void 0||o===null?"":`${o.block}/${o.index}/${e.cursor}`;
return L(()=>{if(a===void 0||o===null)return;let l=new AbortController,c=window.setTimeout(()=>{te(`/corten/v1/nodes?sort=name&limit=1&offset=${o.index}&q=${S(st(
n,a.q))}`,l.signal).then(d=>s({key:i,row:d.nodes[0]}),()=>{})},60);return()=>{window.clearTimeout(c),l.abort()}},[i]),r.key===i?r.row:void 0}function rc(e,n,o,r){
let s=window.devicePixelRatio||1;e.width=Math.round(n.width*s),e.height=Math.round(n.height*s),e.style.width=`${n.width}px`,e.style.height=`${n.height}px`;let a=e.
getContext("2d");if(a===null)return;let i=nc();a.scale(s,s),a.clearRect(0,0,n.width,n.height),a.textBaseline="middle";let l=n.cell+n.gap;for(let c of n.blocks){
ic(a,n,c,i);let d=[];for(let u of c.runs){a.fillStyle=i[u.look];for(let p=u.start;p<u.start+u.count;){let f=p%n.columns,m=n.gap===0?Math.min(u.start+u.count-p,n.
columns-f):1,h=n.left+f*l,_=c.y+Math.floor(p/n.columns)*l;if(u.look==="failed"&&n.cell<gn)for(let $=0;$<m;$+=1)d.push(()=>{a.fillStyle=i.back,a.fillRect(h+$*l-2,
_-2,gn+2,gn+2),a.fillStyle=i.failed,a.fillRect(h+$*l-1,_-1,gn,gn)});else n.cell>=6?(a.beginPath(),a.roundRect(h,_,n.cell,n.cell,n.cell>=10?3:1.5),a.fill(),u.look===
"failed"&&n.cell>=8&&sc(a,h,_,n.cell,i.back),u.aside&&ac(a,h,_,n.cell,i.back)):(a.fillRect(h,_,n.gap===0?m*l:n.cell,n.cell),u.aside&&n.cell>=4&&(a.fillStyle=i.back,
a.fillRect(h+1,_+1,n.cell-2,n.cell-2),a.fillStyle=i[u.look]));p+=m}}for(let u of d)u()}if(a.strokeStyle=i.focus,a.lineWidth=2,r!==null&&r.from.block===r.to.block){
let[c,d]=[Math.min(r.from.index,r.to.index),Math.max(r.from.index,r.to.index)];for(let u=c;u<=d&&d-c<4e3;u+=1)na(a,n,{block:r.from.block,index:u})}o!==null&&na(
a,n,o)}function na(e,n,o){let{x:r,y:s}=Xo(n,o);e.strokeRect(r-1.5,s-1.5,n.cell+3,n.cell+3)}function sc(e,n,o,r,s){let a=r*.3;e.strokeStyle=s,e.lineWidth=r>=12?2:
1.4,e.beginPath(),e.moveTo(n+a,o+a),e.lineTo(n+r-a,o+r-a),e.moveTo(n+r-a,o+a),e.lineTo(n+a,o+r-a),e.stroke()}function ac(e,n,o,r,s){e.save(),e.beginPath(),e.rect(
n,o,r,r),e.clip(),e.strokeStyle=s,e.lineWidth=1.4;for(let a=-r;a<r;a+=4)e.beginPath(),e.moveTo(n+a,o+r),e.lineTo(n+a+r,o),e.stroke();e.restore()}function ic(e,n,o,r){
let s=n.left===0?o.y-10:o.y+Math.max(n.cell,14)/2,a=n.left===0?n.width-70:n.left-76;e.fillStyle=r.text,e.font="600 13px system-ui, sans-serif";let i=er(o.group.
name);for(;i.length>2&&e.measureText(i).width>a;)i=i.slice(0,-2)+"\u2026";e.fillText(i,0,s);let l=e.measureText(i).width+8;e.fillStyle=r.faint,e.font="13px syst\
em-ui, sans-serif",e.fillText(q(o.group.total),l,s)}var lc=200;function tr(e){let n=e?.body;return typeof n!="object"||n===null?null:n.query_error??null}function zn({q:e,onQuery:n,error:o}){let r=Xe(),s=Y(null),[
a,i]=g(e),[l,c]=g(0),[d,u]=g(!1),[p,f]=g(-1),[m,h]=g([]),_=Y(void 0),$=Y(e);e!==$.current&&($.current=e,a!==e&&i(e));let T=Jn(a,l).key,y=T===null?void 0:Kn[T]?.
by??(T.startsWith("extra.")?T:void 0);L(()=>{if(h([]),!d||y===void 0)return;let C=new AbortController;return te(`/corten/v1/fleet?by=${S(y)}`,C.signal).then(H=>h(
[...H.groups].sort((A,ee)=>ee.total-A.total)),()=>{}),()=>C.abort()},[y,d]);let v=C=>{window.clearTimeout(_.current),$.current=C.trim(),n(C.trim())},w=(C,H)=>{i(
C),c(H),f(-1),window.clearTimeout(_.current),_.current=window.setTimeout(()=>v(C),lc)},P=d?Rs(a,l,m):[],k=C=>{let H=P[C];if(H===void 0)return;let A=Ls(a,l,H);i(
A.query),c(A.caret),f(-1),H.done&&v(A.query),requestAnimationFrame(()=>{s.current?.focus(),s.current?.setSelectionRange(A.caret,A.caret)})},R=tr(o);return t("di\
v",{class:"query",children:[t("div",{class:"query-box",children:[t(M,{name:"search"}),t("input",{ref:s,id:"query",class:"query-input",role:"combobox","aria-labe\
l":"Filter nodes","aria-expanded":P.length>0,"aria-controls":`${r}-list`,"aria-activedescendant":p>=0?`${r}-${p}`:void 0,"aria-invalid":R!==null,autocomplete:"o\
ff",spellcheck:!1,maxLength:1e3,placeholder:"Filter: state:failed class:gpu -maint:yes age>1h",value:a,onInput:C=>w(C.currentTarget.value,C.currentTarget.selectionStart??
0),onSelect:C=>c(C.currentTarget.selectionStart??0),onFocus:()=>u(!0),onBlur:()=>u(!1),onKeyDown:C=>{if(C.key==="ArrowDown")f(Math.min(p+1,P.length-1));else if(C.
key==="ArrowUp")f(Math.max(p-1,-1));else if(C.key==="Tab"&&p>=0)k(p);else if(C.key==="Enter")p>=0?k(p):(v(a),s.current?.blur(),document.getElementById("nodes")?.
focus());else if(C.key==="Escape")p>=0?f(-1):a!==""?(i(""),v("")):s.current?.blur();else return;C.preventDefault(),C.stopPropagation()}}),a!==""&&t("button",{type:"\
button",class:"icon-button","aria-label":"Clear the filter",onClick:()=>{i(""),v(""),s.current?.focus()},children:t(M,{name:"close"})})]}),t("ul",{class:"offers",
id:`${r}-list`,role:"listbox","aria-label":"Completions",hidden:P.length===0,children:P.map((C,H)=>t("li",{id:`${r}-${H}`,role:"option","aria-selected":H===p,class:"\
offer",onPointerDown:A=>{A.preventDefault(),k(H)},children:[t("span",{children:C.label}),t("span",{class:"faint",children:C.about})]},C.label))}),R!==null&&t("p",
{class:"query-wrong",role:"alert",children:[t("code",{children:[e.slice(0,R.start),t("mark",{children:e.slice(R.start,R.end)}),e.slice(R.end)]})," ",R.text,R.suggestion!==
null&&t(b,{small:!0,kind:"quiet",onClick:()=>v(e.slice(0,R.start)+(R.suggestion??"")+e.slice(R.end)),children:["Use ",R.suggestion]})]})]})}var cc=new Set(["created","deleted","provision","error","maintenance","updated","warning","resumed"]),nr=e=>cc.has(e.kind),ra=[["resource_class","resource class"],
["driver","driver"],["conductor","conductor"],["conductor_group","conductor group"],["chassis","chassis"],["shard","shard"],["owner","owner"],["state","state"]];
function sa(){let e=Q.value.get("q")??"",n=Q.value.get("by")??Go.value,o=Q.value.get("as")==="table",r=e===""?"":`&q=${S(e)}`,s=N(`/corten/v1/fleet?by=${S(n)}${r}`,
{on:nr,atMost:1e3,keep:!0}),a=N(`/corten/v1/failures?${r.slice(1)}`,{on:nr,atMost:1e3,every:3e4,keep:!0}),i=N("/corten/v1/work",{every:2e3}),l=N("/corten/v1/sta\
tus",{every:1e4});Be([{keys:"t",about:"map as a table, and back",run:()=>U({as:o?null:"table"})},{keys:"/",about:"filter",run:()=>document.getElementById("query")?.
focus()}]);let c=s.data.value;if(c!==void 0&&c.total===0&&e==="")return t(uc,{});let d=le.value?.group_key?[...ra,[`extra.${le.value.group_key}`,le.value.group_key]]:
ra;return t("div",{class:"fleet",children:[t("h1",{class:"hidden",children:"Fleet"}),t("div",{class:"fleet-top",children:[t(O,{class:"needs",title:t(x,{children:[
"Needs a person",a.data.value!==void 0&&a.data.value.total>0&&t("span",{class:"count count-failed",children:q(a.data.value.total)})]}),children:t(V,{doc:a,lines:4,
children:u=>t(dc,{failures:u,status:l.data.value,filter:e})})}),t(O,{class:"under-way",title:t(x,{children:["Under way",i.data.value!==void 0&&t("span",{class:"\
count",children:q(i.data.value.total)})]}),actions:i.data.value!==void 0&&i.data.value.total>0?t("a",{class:"button button-quiet button-small",href:E(["nodes"],
{q:"state:working,waiting",sort:"provision_updated_at"}),children:"List"}):void 0,children:t(V,{doc:i,lines:4,children:u=>t(fc,{work:u})})})]}),t(O,{class:"map-\
panel",title:c===void 0?"Machines":pe(c.total,"machine"),actions:t(x,{children:[t("label",{class:"inline-label",children:["By"," ",t("select",{class:"select",value:n,
onChange:u=>{Go.value=u.currentTarget.value,U({by:null})},children:d.map(([u,p])=>t("option",{value:u,children:p},u))})]}),t(b,{small:!0,kind:"quiet",pressed:o,
onClick:()=>U({as:o?null:"table"}),children:"Table"}),t(ie,{commands:{corten:`corten fleet counts --by ${n}`,curl:X("GET",`/corten/v1/fleet?by=${n}${r}`)}})]}),
children:[t(zn,{q:e,onQuery:u=>U({q:u}),error:s.error.value}),t(V,{doc:s,lines:2,children:u=>t(x,{children:[t(hc,{counts:u,q:e}),o?t(gc,{fleet:u,q:e}):t(vc,{by:n,
q:e}),u.left_out>0&&t("p",{class:"faint",children:[pe(u.left_out,"smaller group")," not shown."]})]})})]})]})}function uc(){return t(j,{title:"No machines yet",
children:[t("p",{children:"Every machine of your racks will be here, with what it does and what it needs."}),t("p",{class:"row",children:[t("a",{class:"button b\
utton-main",href:E(["enrol"]),children:"Enrol machines"}),t("span",{class:"faint",children:["or try a rack of fake ones: ",t("code",{children:"corten demo"})]})]})]})}
function dc({failures:e,status:n,filter:o}){let r=(n?.problems??[]).filter(s=>s.code!=="failed_nodes");return e.causes.length===0&&r.length===0?t("div",{class:"\
all-well",children:[t(M,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"Nothing needs a person"}),t("p",{class:"faint",children:"Fail\
ed, faulty and stuck machines appear here with their cause and what to do."})]})]}):t("ul",{class:"causes",children:[r.map(s=>t("li",{class:"cause",children:[t(
"span",{class:"cause-count cause-warn",children:t(M,{name:"warn"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:s.text}),t("p",
{class:"cause-advice",children:s.advice})]}),t("a",{class:"button button-small",href:E(["conductors"]),children:"Show"})]},s.code)),e.causes.slice(0,8).map(s=>t(
pc,{cause:s,filter:o},s.code)),e.causes.length>8&&t("li",{class:"faint",children:t("a",{href:E(["nodes"],{q:st(o,"state:failed")}),children:pe(e.causes.length-8,
"more cause")})})]})}function pc({cause:e,filter:n}){let o=e.count===1?e.nodes[0]:void 0,r=o===void 0?E(["nodes"],{q:st(n,e.q)}):E(["nodes",o.name??o.uuid]);return t(
"li",{class:"cause",children:[t("span",{class:"cause-count",children:[t(K,{look:"failed"})," ",q(e.count)]}),t("div",{class:"cause-words",children:[t("p",{class:"\
cause-sentence",children:e.sentence??e.example??"You may not see the cause."}),e.advice!==null&&t("p",{class:"cause-advice",children:e.advice}),t("p",{class:"ca\
use-nodes faint",children:[e.since!==null&&t(x,{children:["since ",t(Le,{at:e.since})," "]}),e.nodes.slice(0,3).map(s=>t("a",{href:E(["nodes",s.name??s.uuid]),children:s.
name??s.uuid.slice(0,8)},s.uuid)),e.count>3&&t("span",{children:["and ",q(e.count-3)," more"]})]})]}),t("a",{class:"button button-small",href:r,"aria-label":o===
void 0?`List ${e.count} nodes: ${e.sentence??""}`:`Open ${o.name??o.uuid}`,children:o===void 0?"List":"Open"})]})}function fc({work:e}){return e.operations.length===
0?t(j,{title:"Nothing is under way",children:"Deployments, cleaning and inspections appear here while they run."}):t("ul",{class:"work",children:[e.operations.slice(
0,7).map(n=>t(mc,{operation:n},n.node)),e.total>7&&t("li",{class:"faint",children:["\u2026 ",q(e.total-7)," more"]})]})}function mc({operation:e}){let n=e.name??
e.node,{progress:o,waiting:r}=e,s=o!==null&&o.bytes!==null&&o.total!==null?Re(o.bytes,o.total):null;return t("li",{class:"work-row",children:[t("a",{class:"work\
-name",href:E(["nodes",n]),children:[t(K,{look:e.look})," ",n]}),t("span",{class:"work-verb",children:e.verb??e.provision_state}),t("span",{class:`work-what${r?.
is_stuck===!0?" stuck":""}`,children:[r!==null?`waits ${Te(r.since)} for ${r.for}`:e.phase??e.step??e.provision_state,e.steps_total!==null&&e.steps_total>1&&` \xB7\
 step ${Math.min((e.steps_done??0)+1,e.steps_total)} of ${e.steps_total}`,o?.rate!==null&&o?.rate!==void 0&&` \xB7 ${we(o.rate)}/s`,o?.eta!==null&&o?.eta!==void 0&&
` \xB7 ${$e(o.eta)} left`]}),t("span",{class:"work-age",children:t(me,{at:e.started_at??e.state_since})}),s!==null&&t(De,{value:s,label:`${n}: ${Math.round(s)} \
%`})]})}function hc({counts:e,q:n}){let o=sn.filter(({look:r})=>e.looks[r]>0);return t("div",{class:"summary",children:[t("div",{class:"summary-bar","aria-hidde\
n":"true",children:o.map(({look:r})=>t("span",{class:`fill-${r}`,style:{flexGrow:e.looks[r]}},r))}),t("ul",{class:"summary-list",children:[sn.map(({look:r,word:s})=>t(
"li",{children:t("a",{class:`tally look-${r}${e.looks[r]===0?" tally-none":""}`,href:E(["nodes"],{q:st(n,`state:${r}`)}),children:[t(K,{look:r})," ",t("span",{class:"\
tally-word",children:s})," ",t("strong",{children:q(e.looks[r])})]})},r)),e.maintenance>0&&t("li",{children:t("a",{class:"tally",href:E(["nodes"],{q:st(n,"maint\
:yes")}),children:[t("span",{class:"chip chip-hatch",children:"maintenance"})," ",t("strong",{children:q(e.maintenance)})]})})]})]})}function gc({fleet:e,q:n}){
return t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"group"}),t("th",
{scope:"col",class:"num",children:"machines"}),sn.map(({look:o,word:r})=>t("th",{scope:"col",class:"num",children:r},o)),t("th",{scope:"col",class:"num",children:"\
maintenance"})]})}),t("tbody",{children:e.groups.map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:E(["nodes"],{q:st(n,o.q)}),children:er(o.name)})}),
t("td",{class:"num",children:q(o.total)}),sn.map(({look:r})=>t(bc,{look:r,count:o.looks[r],to:st(n,o.q,`state:${r}`)},r)),t("td",{class:"num",children:o.maintenance===
0?t("span",{class:"faint",children:"0"}):q(o.maintenance)})]},o.q))})]})})}function bc({look:e,count:n,to:o}){return t("td",{class:"num",children:n===0?t("span",
{class:"faint",children:"0"}):t("a",{class:`look-${e}`,href:E(["nodes"],{q:o}),children:q(n)})})}function vc({by:e,q:n}){let o=Rt(void 0),[r,s]=g(null);return L(
()=>{let a=null,i,l=0,c=!1,d=async()=>{i=void 0,l=Date.now();try{let p=await Lt(`/corten/v1/fleet/map?by=${S(e)}&q=${S(n)}`,{headers:a===null?{}:{"If-None-Match":a}});
if(c||p.status===304)return;a=p.headers.get("etag"),o.value=await p.json(),Bt(o.value.cursor),s(null)}catch(p){c||s(_e(p))}},u=ft(p=>{i!==void 0||!p.some(nr)||(i=
window.setTimeout(()=>{d()},Math.max(0,l+2e3-Date.now())))});return d(),()=>{c=!0,u(),window.clearTimeout(i)}},[e,n,$t.value,We.value]),r!==null&&o.value===void 0?
t(ke,{error:r}):o.value===void 0?t(Me,{lines:5}):o.value.total===0?t(j,{title:"No machine matches",children:"Change the filter, or clear it."}):t(oa,{map:o.value,
q:n})}function aa(){let e=le.value,[n,o]=g("");if(e===void 0)return t(Me,{lines:6});let r=e.rules.filter(s=>s.includes(n.trim()));return t("div",{class:"stack",children:[
t("div",{class:"page-head",children:t("h1",{children:Hn(e)})}),t("div",{class:"cards",children:[t(O,{title:"Who I am",level:3,children:t(ge,{rows:[["Sign-in",e.
mode],["User",e.user_name??e.user],["Project",e.project_name??e.project],["System scope",e.system_scope],["Roles",e.roles.join(", ")],["Session ends",e.session===
null?null:t(Le,{at:e.session.expires_at})],["Service",`version ${e.version}, API up to ${e.api_version}`]]})}),t(O,{title:"This browser",level:3,children:t("div",
{class:"form",children:[t("div",{class:"segmented",role:"radiogroup","aria-label":"Theme",children:["light","dark","system"].map(s=>t("label",{children:[t("inpu\
t",{type:"radio",name:"theme",checked:ot.value===s,onChange:()=>Ht(s)}),t("span",{children:s==="system"?"as the system":s})]},s))}),t("label",{class:"check-line",
children:[t("input",{type:"checkbox",checked:Ye.value,onChange:s=>Ye.value=s.currentTarget.checked})," single letters are keys"]}),t("p",{children:t("a",{href:"\
/ui/licences.txt",target:"_blank",rel:"noopener",children:"Licences of what is in this page"})})]})})]}),t(O,{title:`Rules granted \xB7 ${r.length}`,level:3,actions:t(
"input",{class:"input filter","aria-label":"Filter rules",placeholder:"Filter",value:n,onInput:s=>o(s.currentTarget.value)}),children:[e.is_open&&t("p",{class:"\
faint",children:"In this mode everybody who gets in may do everything."}),r.length===0?t(j,{title:"No rule matches"}):t("ul",{class:"rules",children:r.map(s=>t(
"li",{children:t("code",{children:s})},s))})]})]})}function Qe({label:e,choices:n,kind:o="plain",name:r,right:s}){let[a,i]=g(!1),l=Y(null),c=Y(null),d=()=>[...l.current?.querySelectorAll('[role^="menuitem"]')??[]];
L(()=>{if(!a)return;d()[0]?.focus();let f=m=>{m.target instanceof Node&&l.current?.contains(m.target)===!1&&i(!1)};return document.addEventListener("pointerdown",
f),()=>document.removeEventListener("pointerdown",f)},[a]);let u=()=>{i(!1),c.current?.focus()},p=f=>{let m=d(),h=m.indexOf(document.activeElement);m[(h+f+m.length)%
m.length]?.focus()};return t("div",{class:"menu",ref:l,children:[t("button",{ref:c,type:"button",class:`button button-${o}`,"aria-haspopup":"menu","aria-expande\
d":a,"aria-label":r,onClick:()=>i(!a),onKeyDown:f=>{f.key==="ArrowDown"&&(f.preventDefault(),i(!0))},children:[e," ",t(M,{name:"down"})]}),a&&t("div",{class:`me\
nu-list${s===!0?" menu-right":""}`,role:"menu","aria-label":r??"Choices",onKeyDown:f=>{if(f.stopPropagation(),f.key==="Escape"||f.key==="Tab")u();else if(f.key===
"ArrowDown"||f.key==="j")p(1);else if(f.key==="ArrowUp"||f.key==="k")p(-1);else if(f.key==="Home")d()[0]?.focus();else if(f.key==="End")d().at(-1)?.focus();else
return;f.preventDefault()},children:n.map(f=>t("button",{type:"button",role:f.checked===void 0?"menuitem":"menuitemcheckbox","aria-checked":f.checked,"aria-disa\
bled":f.why!==null&&f.why!==void 0,tabIndex:-1,class:`menu-item${f.danger===!0?" menu-danger":""}`,onClick:()=>{f.why!==null&&f.why!==void 0||(u(),f.onPick())},
children:[t("span",{class:"menu-label",children:[f.checked!==void 0&&t("span",{class:"menu-check",children:f.checked?t(M,{name:"check"}):null}),f.label]}),(f.why??
f.about)!==void 0&&(f.why??f.about)!==null&&t("span",{class:"menu-about",children:f.why??f.about})]},f.label))})]})}function ia({node:e,me:n,reload:o}){let[r,s]=g(null),[a,i]=g(null),l=e.name??e.uuid,c=ks(e.provision_state),d=mt.filter(h=>!c.includes(h));L(()=>i(null),[e.provision_state,
e.power_state,e.maintenance,e.reservation]);let u=async(h,_)=>{s(null),i(h);try{await _($=>W(`Waiting: ${$.message}`)),W(`${h}: asked for.`),o()}catch($){i(null),
J(`${h} was refused`,$)}},p=h=>{h.asks===!0?U({do:h.verb}):h.destroys===!0?s({kind:"verb",action:h}):u(h.label,_=>nt(e.uuid,{target:h.target},_))},f=Q.value.get(
"do");L(()=>{let h=mt.find($=>$.verb===f);if(h===void 0||h.asks===!0)return;U({do:null},!0);let _=Ft(e,h,n);_===null?p(h):W(`Not now: ${_}.`)},[f]);let m=oe(n,Oe.
power)??Bo(e);return t("div",{class:"verbs",children:[c.map(h=>t(b,{kind:_s(e.provision_state,h.verb)?"main":h.destroys===!0?"danger":"plain",why:Ft(e,h,n),onClick:()=>p(
h),children:[h.label,h.asks===!0||h.destroys===!0?"\u2026":""]},h.verb)),t(Qe,{label:"Power",choices:ws.map(h=>({label:h.label,why:m,danger:"destroys"in h,onPick:()=>"\
destroys"in h&&e.provision_state==="active"?s({kind:"power",target:h.target,label:h.label}):void u(h.label,_=>Ho(e.uuid,h.target,_))}))}),t(Qe,{label:"More",choices:[
{label:e.maintenance?"End maintenance":"Maintenance\u2026",why:oe(n,e.maintenance?Oe.resume:Oe.maintain),about:e.maintenance?"let the service work on it again":
"keep the service from working on it",onPick:()=>e.maintenance?void u("End of maintenance",()=>Ko(e.uuid,!1,"")):s({kind:"maintenance"})},{label:"Forget this no\
de\u2026",danger:!0,why:oe(n,Oe.remove),about:"delete it from the service",onPick:()=>s({kind:"remove"})},...d.map(h=>({label:h.label,why:Ft(e,h,n),about:h.about,
onPick:()=>p(h)}))]}),a!==null&&t("span",{class:"asked",role:"status",children:[a,": asked for \u2026"]}),r?.kind==="verb"&&t(ze,{title:`${r.action.label} ${l}`,
text:t("p",{children:["It will ",r.action.about,". What is on its disks is lost."]}),word:l,action:r.action.label,onClose:()=>s(null),onYes:()=>{u(r.action.label,
h=>nt(e.uuid,{target:r.action.target},h))},children:[t(Ne,{label:"corten",text:`corten node ${r.action.command} ${re(l)}`}),t(Ne,{label:"curl",text:X("PUT",`/v1\
/nodes/${S(e.uuid)}/states/provision`,{target:r.action.target})})]}),r?.kind==="power"&&t(ze,{title:`${r.label}: ${l}`,text:t("p",{children:"The machine is in u\
se. Whatever runs on it stops at once."}),word:l,action:r.label,onClose:()=>s(null),onYes:()=>{u(r.label,h=>Ho(e.uuid,r.target,h))}}),r?.kind==="maintenance"&&t(
yc,{name:l,onClose:()=>s(null),onYes:h=>{u("Maintenance",()=>Ko(e.uuid,!0,h))}}),r?.kind==="remove"&&t(ze,{title:`Forget ${l}`,text:t("p",{children:"The service\
 forgets the machine with its ports and its history. The machine itself stays as it is."}),word:l,action:"Forget",onClose:()=>s(null),onYes:()=>{s(null),F("DELE\
TE",`/v1/nodes/${S(e.uuid)}`).then(()=>{W(`${l} is forgotten.`),Z(E(["nodes"]))},h=>J(`${l} could not be deleted`,h))}})]})}function yc({name:e,onClose:n,onYes:o}){
let[r,s]=g("");return t(ue,{title:`Maintenance of ${e}`,onClose:n,foot:t(x,{children:[t(b,{onClick:n,children:"Cancel"}),t(b,{kind:"main",onClick:()=>o(r),children:"\
Begin maintenance"})]}),children:[t("p",{children:"The service does not work on the machine until maintenance ends."}),t("form",{onSubmit:a=>{a.preventDefault(),
o(r)},children:t(B,{label:"Reason",hint:"Others see it.",children:a=>t("input",{id:a,class:"input",autofocus:!0,value:r,onInput:i=>s(i.currentTarget.value)})})})]})}var or=["name","uuid","provision_state","target_provision_state","provision_updated_at","power_state","maintenance","fault","resource_class","driver","conductor",
"conductor_group","owner","lessee","instance_uuid","cause"];function wc(e){let n=e==null?"":String(typeof e=="object"?e.sentence??"":e),o=/^[=+\-@\t\r]/.test(n)?
`'${n}`:n;return/[",\n\r]/.test(o)?`"${o.replaceAll('"','""')}"`:o}function kc(e){return e.map(n=>or.map(o=>wc(n[o])).join(",")+`\r
`).join("")}async function la(e,n){try{let o=[or.join(",")+`\r
`],r=0;for(;;){let s=await te(`/corten/v1/nodes?q=${S(e)}&sort=${S(n)}&limit=1000&offset=${r}&fields=${or.join(",")}`);if(o.push(kc(s.nodes)),r+=s.nodes.length,
s.nodes.length===0||r>=s.total)break}bn("nodes.csv",new Blob(o,{type:"text/csv"})),W(`${r} rows saved.`)}catch(o){J("The file could not be made",o)}}function bn(e,n){
let o=document.createElement("a");o.href=URL.createObjectURL(n),o.download=e,o.click(),window.setTimeout(()=>URL.revokeObjectURL(o.href),1e4)}function ca({node:e}){let n=`/corten/v1/nodes/${S(e.uuid)}/recorder`,o=N(n,{every:5e3}),[r,s]=g(""),[a,i]=g(!1),l=e.name??e.uuid;return t("div",{class:"stack",children:[
t(xc,{uuid:e.uuid}),t(O,{title:"Flight recorder",actions:t(x,{children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:a,onChange:c=>i(
c.currentTarget.checked)})," failures only"]}),t("input",{class:"input filter","aria-label":"Filter exchanges",placeholder:"Filter",value:r,onInput:c=>s(c.currentTarget.
value)}),t(b,{small:!0,why:o.data.value===void 0||o.data.value.exchanges.length===0?"nothing was recorded":null,onClick:()=>{let c=o.data.value;if(c===void 0)return;
let d=[c.recording,...c.exchanges].map(u=>JSON.stringify(u)+`
`);bn(`${l}.jsonl`,new Blob(d,{type:"application/jsonl"}))},children:"Export"}),t(ie,{commands:{corten:`corten node recorder show ${re(l)}`,curl:X("GET",n)}})]}),
children:t(V,{doc:o,lines:6,children:c=>t(_c,{all:c.exchanges,filter:r,bad:a})})})]})}function Kt(e){return e.failure!==void 0&&e.failure!==null}function _c({all:e,
filter:n,bad:o}){let[r,s]=g(null),a=n.toLowerCase(),i=e.filter(l=>(!o||Kt(l))&&(a===""||JSON.stringify(l).toLowerCase().includes(a))).sort((l,c)=>Number(Kt(c))-
Number(Kt(l))||c.last.localeCompare(l.last)).slice(0,300);return e.length===0?t(j,{title:"Nothing was said to its BMC yet",children:"Requests to the BMC and the\
ir answers appear here, without passwords."}):i.length===0?t(j,{title:"No exchange matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"last"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"for"}),t("th",{scope:"\
col",class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"times"}),t("th",{scope:"col"})]})}),t("tbody",{children:i.map((l,c)=>t(x,{children:[
t("tr",{children:[t("td",{children:t(Le,{at:l.last})}),t("td",{class:Kt(l)?"wrong":"",children:[Kt(l)&&t(K,{look:"failed"})," ",l.summary??JSON.stringify(l.question),
Kt(l)&&t(x,{children:[" \u2014 ",l.failure]})]}),t("td",{children:l.operation??""}),t("td",{class:"num",children:[l.took_ms," ms"]}),t("td",{class:"num",children:l.
count}),t("td",{children:t(b,{small:!0,kind:"quiet",expanded:r===l,onClick:()=>s(r===l?null:l),children:r===l?"Less":"All of it"})})]}),r===l&&t("tr",{children:t(
"td",{colSpan:6,children:t("pre",{class:"json",children:JSON.stringify({question:l.question,answer:l.answer??null},null,2)})})})]},`${l.first}-${c}`))})]})})}function xc({
uuid:e}){let[n,o]=g({busy:!1,error:null,sensors:null}),r=async()=>{o({...n,busy:!0,error:null});try{let s=await te(`/corten/v1/nodes/${S(e)}/sensors`);o({busy:!1,
error:null,sensors:s.sensors})}catch(s){o({busy:!1,error:_e(s),sensors:null})}};return t(O,{title:"Sensors",actions:t(b,{small:!0,busy:n.busy,onClick:()=>{r()},
children:"Read now"}),children:[n.error!==null&&t(ke,{error:n.error}),n.error===null&&n.sensors===null&&t("p",{class:"faint",children:"The BMC is asked when you\
 press the button."}),n.sensors!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:t("tbody",{children:Object.entries(n.sensors).flatMap(
([s,a])=>Object.entries(a).map(([i,l])=>t("tr",{children:[t("td",{class:"faint",children:s}),t("th",{scope:"row",children:i}),t("td",{children:$c(l)})]},s+i)))})})})]})}
function $c(e){let n=e["Sensor Reading"]??e.reading??e.reading_celsius??e.reading_rpm,o=e.Units??e.reading_units;return n!=null?`${String(n)}${o===void 0?"":` ${String(
o)}`}`:Object.entries(e).filter(([,r])=>typeof r!="object"&&r!==null).slice(0,4).map(([r,s])=>`${r}: ${String(s)}`).join(", ")}var rr=["firmware","address","loader","script","kernel","ramdisk","agent"],Sc={nothing_seen:"firmware",not_ours:"firmware",nothing_to_boot:"firmware",no_address:"\
address",other_server:"address",offer_not_taken:"address",wrong_firmware:"loader",loader_not_asked:"loader",loader_missing:"loader",loader_stalled:"loader",loader_does_not_run:"\
loader",script_not_asked:"script",script_missing:"script",config_not_asked:"script",config_missing:"script",kernel_not_asked:"kernel",kernel_missing:"kernel",file_stalled:"\
kernel",ramdisk_not_asked:"ramdisk",ramdisk_missing:"ramdisk",agent_silent:"agent"},ua=new Set(["booted","from_disk","under_way"]);function da({node:e,busy:n}){
let o=N(`/corten/v1/nodes/${S(e.uuid)}/boot-log`,{every:n?2e3:void 0}),r=o.error.value;return r!==void 0&&o.data.value===void 0&&r.status<500&&r.status!==403?t(
j,{title:"Nothing is known about how it boots",children:r.message}):t(V,{doc:o,lines:6,children:s=>t(Cc,{log:s})})}function Cc({log:e}){let{cause:n,finding:o,advice:r}=e.
diagnosis,s=Sc[n],a=s===void 0?n==="booted"?rr.length:-1:rr.indexOf(s);return t("div",{class:"stack",children:[t("section",{class:`panel matter${ua.has(n)?"":" \
matter-bad"}`,"aria-label":"Finding",children:[t("div",{class:"matter-mark",children:ua.has(n)?t(M,{name:"check"}):t(K,{look:"failed"})}),t("div",{class:"matter\
-words",children:[t("h2",{class:"matter-cause",children:o}),r!==""&&t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",r]})]})]}),t(
"ol",{class:"ladder","aria-label":"How far it came",children:rr.map((i,l)=>t("li",{class:`rung ${l<a?"rung-done":l===a?"rung-stop":""}`,children:[l<a?t(M,{name:"\
check"}):l===a?t(K,{look:"failed"}):t(K,{look:"ready"})," ",i]},i))}),t(O,{title:`Events \xB7 ${e.events.length}`,children:e.events.length===0?t("p",{class:"fai\
nt",children:"The machine has not asked for anything."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"at"}),t("th",{scope:"col",children:"port"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",class:"num",children:"times"})]})}),
t("tbody",{children:e.events.map((i,l)=>t("tr",{children:[t("td",{children:t(Le,{at:i.at})}),t("td",{children:t("code",{children:i.port})}),t("td",{children:i.text}),
t("td",{class:"num",children:i.times})]},l))})]})})})]})}var sr="corten.reloaded";async function pa(e){try{let n=await e();return sessionStorage.removeItem(sr),n}catch(n){throw sessionStorage.getItem(sr)===null&&(sessionStorage.
setItem(sr,"yes"),location.reload()),new Error("A part of the page could not be loaded; the service may be of another version now. Load the page again.",{cause:n})}}function ma(e){let{node:n,me:o,reload:r}=e,[s,a]=g(!1),i=n.name??n.uuid,l=oe(o,Oe.switchConsole),c=async u=>{a(!0);try{await F("PUT",`/v1/nodes/${S(n.uuid)}/sta\
tes/console`,{enabled:u}),W(u?"The console is being switched on.":"The console is being switched off."),r()}catch(p){J("The console could not be switched",p)}a(
!1)};if(!n.console_enabled)return t(j,{title:"The console is off",children:[t("p",{children:["The console interface of ",i," is ",t("code",{children:String(n.console_interface)}),
"."]}),t(b,{kind:"main",why:l,busy:s,onClick:()=>{c(!0)},children:"Switch it on"}),t("code",{children:["corten node console enable ",re(i)]})]});let d=oe(o,Oe.console);
return d!==null?t(j,{title:"You may not use the console",children:d}):String(n.console_interface).endsWith("-graphical")?t(Tc,{node:n,onOff:()=>{c(!1)},why:l}):
An(Ec,{...e,key:n.uuid,onOff:()=>{c(!1)},why:l})}function Tc({node:e,onOff:n,why:o}){let[r,s]=g(!1),a=async()=>{s(!0);try{let{console_info:l}=await te(`/v1/node\
s/${S(e.uuid)}/states/console`),c=new URL(l.url,location.href);if(c.protocol!=="https:"&&c.protocol!=="http:")throw new Error("the address of the console is no \
web page");window.open(c,"_blank","noopener")}catch(l){J("The screen could not be opened",l)}s(!1)},i=e.name??e.uuid;return t(j,{title:"The console is on",children:[
t("p",{children:["It shows the screen of ",i,", in a window of its own, until its token ends."]}),t(b,{kind:"main",busy:r,onClick:()=>{a()},children:"Open the s\
creen"}),t(b,{kind:"quiet",why:o,onClick:n,children:"Switch off"}),t("code",{children:["corten node console show ",re(i)]})]})}function fa(e){return`\r
\x1B[0;7m ${[...e].filter(o=>o>=" "&&o!=="\x7F").join("")} \x1B[0m\r
`}function Ec({node:e,onOff:n,why:o}){let r=Y(null),s=Y(null),a=Y(null),i=Y(null),l=Y(0),[c,d]=g("connecting"),[u,p]=g(!1),[f,m]=g(!1),[h,_]=g(!1),[$,T]=g(null),
[y,v]=g(null),[w,P]=g(""),[k,R]=g(0),C=e.name??e.uuid,H=D=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(new TextEncoder().encode(D))};L(()=>{let D=!1,
ae;return pa(()=>import("./terminal-4PUH3NOJ.js")).then(de=>{if(D||r.current===null)return;let xe=de.terminal(r.current,pn.value,h);a.current={tools:de,...xe},
xe.terminal.onData(H),xe.terminal.attachCustomKeyEventHandler(z=>z.type!=="keydown"||!z.ctrlKey||!z.altKey||z.key!=="Escape"?!0:(xe.terminal.blur(),s.current?.querySelector(
".console-bar button")?.focus(),!1)),ae=new ResizeObserver(()=>xe.fit.fit()),ae.observe(r.current),xe.fit.fit(),xe.terminal.focus(),R(z=>z+1)},de=>T(_e(de))),()=>{
D=!0,ae?.disconnect(),a.current?.terminal.dispose(),a.current=null}},[h]),L(()=>{let D=a.current;if(D===null)return;let ae=!1;d("connecting"),T(null);let de=location.
protocol==="https:"?"wss":"ws",xe=`/corten/v1/nodes/${S(e.uuid)}/console?mode=${f?"read":"write"}`,z=new WebSocket(`${de}://${location.host}${xe}`,["corten.cons\
ole",`corten.key.${Eo()}`]);z.binaryType="arraybuffer",i.current=z;let Ue=!1;return z.onopen=()=>{Ue=!0,d("open")},z.onmessage=it=>{if(it.data instanceof ArrayBuffer){
D.terminal.write(new Uint8Array(it.data));return}let He=JSON.parse(String(it.data));He.type==="writer"?p(He.writer===!0):He.type==="lost"?D.terminal.write(fa(`${He.
bytes??0} characters were lost here`)):He.type==="ended"&&D.terminal.write(fa(`The console ended: ${He.reason??""}`))},z.onclose=()=>{ae||(d("ended"),p(!1),Ue||
Mc(xe).then(it=>!ae&&T(it)))},()=>{ae=!0,z.close()}},[k,f,e.uuid]);let A=D=>{pn.value=Math.max(9,Math.min(28,pn.value+D));let ae=a.current;ae!==null&&(ae.terminal.
options.fontSize=pn.value,ae.fit.fit())},ee=D=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(JSON.stringify({type:D})),a.current?.terminal.focus()},ce=c!==
"open"?"the console is not connected":null;return t("div",{class:"console",ref:s,children:[t("div",{class:"console-bar",role:"toolbar","aria-label":"Console",children:[
t("span",{class:`console-state console-${c}`,role:"status",children:c==="connecting"?"connecting \u2026":c==="ended"?"not connected":f?"you watch":u?"you type":
"another user types"}),c==="ended"&&t(b,{small:!0,kind:"main",onClick:()=>R(k+1),children:"Connect"}),!u&&!f&&c==="open"&&t(b,{small:!0,onClick:()=>ee("take_ove\
r"),children:"Take over"}),t(b,{small:!0,kind:"quiet",why:ce??(u?null:"you do not type"),onClick:()=>ee("break"),children:"Break"}),t(b,{small:!0,kind:"quiet",pressed:f,
onClick:()=>m(!f),children:"Read only"}),t(b,{small:!0,kind:"quiet",pressed:h,onClick:()=>_(!h),label:"Text mode, for screen readers",children:"Text mode"}),t(b,
{small:!0,kind:"quiet",label:"A\u2212: smaller text",onClick:()=>A(-1),children:"A\u2212"}),t(b,{small:!0,kind:"quiet",label:"A+: larger text",onClick:()=>A(1),
children:"A+"}),t("form",{class:"console-find",onSubmit:D=>{D.preventDefault();let ae=a.current;if(ae===null||w==="")return;let de=ae.tools.find(ae.terminal,w,l.
current===0?ae.terminal.buffer.active.length:l.current);de<0?W("Not found."):l.current=de},children:t("input",{class:"input filter","aria-label":"Search the out\
put",placeholder:"Search",value:w,onInput:D=>{l.current=0,P(D.currentTarget.value)}})}),t("span",{class:"spring"}),t(b,{small:!0,kind:"quiet",onClick:()=>a.current!==
null&&bn(`${C}.txt`,new Blob([a.current.tools.textOf(a.current.terminal)],{type:"text/plain"})),children:"Save"}),t(b,{small:!0,kind:"quiet",onClick:()=>{s.current?.
requestFullscreen?.()},children:"Full screen"}),t(ie,{commands:{corten:`corten node console ${re(C)}`,curl:`# a WebSocket: ${location.host}/corten/v1/nodes/${e.
uuid}/console`}}),t(b,{small:!0,kind:"quiet",why:o,onClick:n,children:"Switch off"})]}),$!==null&&t(ke,{error:$}),t("div",{class:"console-screen",ref:r,onPasteCapture:D=>{
let ae=D.clipboardData?.getData("text")??"";/[\r\n]/.test(ae.trimEnd())&&(D.preventDefault(),D.stopPropagation(),v(ae))}}),t("p",{class:"faint console-hint",children:[
t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Alt"})," ",t("kbd",{children:"Esc"})," gives the keyboard back to the page."]}),y!==null&&t(ue,{title:"Paste s\
everal lines?",onClose:()=>v(null),foot:t(x,{children:[t(b,{onClick:()=>v(null),children:"Cancel"}),t(b,{kind:"main",onClick:()=>{a.current?.terminal.paste(y),v(
null)},children:"Paste"})]}),children:[t("p",{children:"Each line may run a command on the machine."}),t("pre",{class:"json",children:y})]})]})}async function Mc(e){
try{await F("GET",e)}catch(n){let o=_e(n);if(o.status!==426)return o}return _e(new Error("The console cannot be joined now: the machine or its BMC does not offe\
r it."))}function ha({plan:e,hint:n,wrong:o,onHint:r}){let s=e?.disks??null;return t("fieldset",{class:"choice",children:[t("legend",{children:"Disk"}),s===null?t("p",{class:"\
faint",children:"The machine was not inspected, so its disks are not known. Without a hint the service takes the smallest disk that fits."}):t("div",{class:"dis\
ks",children:s.map(a=>{let i=a.hint===null?null:JSON.stringify(a.hint);return t("label",{class:`disk${a.fits===!0?" disk-fits":""}`,children:[t("input",{type:"r\
adio",name:"disk",checked:i!==null&&i===n,disabled:i===null,onChange:()=>i!==null&&r(i)}),t("span",{children:[t("strong",{children:a.name.replace("/dev/","")}),
" ",we(a.size)," ",a.rotational===!0?"spinning":a.rotational===!1?"SSD":""," ",t("span",{class:"faint",children:a.model??""}),a.fits===!0&&t("span",{class:"chip",
children:"the hint means this one"})]})]},a.name)})}),t(B,{label:"Root device hint",error:o??e?.root_device?.error,hint:"Empty: the service chooses.",children:a=>t(
"input",{id:a,class:"input",spellcheck:!1,placeholder:'{"size": ">= 900"}',value:n,onInput:i=>r(i.currentTarget.value)})})]})}function ga({plan:e,error:n,asked:o,
changes:r,ident:s}){return t("section",{class:`plan${o?" plan-old":""}`,"aria-label":"Plan","aria-busy":o,children:[t("h3",{children:"Plan"}),e===null&&n===null&&
t(Me,{lines:3}),n!==null&&t("p",{class:"wrong",children:n.message}),e!==null&&t(x,{children:[t("p",{class:e.is_accepted?"good":"wrong",children:[e.is_accepted?t(
M,{name:"check"}):t(K,{look:"failed"})," ",e.is_accepted?"accepted":e.refusal?.text??"refused"]}),e.states.length>0&&t("p",{class:"plan-states",children:e.states.
map((a,i)=>t("span",{children:[i>0&&" \u2192 ",a]},i))}),e.steps.length>0&&t("ol",{class:"plan-steps",children:e.steps.map((a,i)=>t("li",{children:[a.interface,
".",a.step," ",t("span",{class:"faint",children:["(",a.source,")"]})]},i))}),e.more_steps!==null&&t("p",{class:"faint",children:e.more_steps}),(e.validation??[]).
filter(a=>a.result===!1).map(a=>t("p",{class:"wrong",children:[t(K,{look:"failed"})," ",a.interface,": ",a.reason," ",t("a",{href:E(["nodes",s],{tab:"settings"}),
children:"set it"})]},a.interface))]}),r.length>0&&t("p",{class:"faint",children:["Before that, ",r.length===1?"one field of the node is written":`${r.length} f\
ields of the node are written`,": ",r.map(a=>a.path.slice(1)).join(", "),". The plan takes the node as it is now."]})]})}var Ac=400;function ba({action:e,node:n,me:o,onClose:r,reload:s}){let a=n.instance_info,i=I=>typeof a[I]=="string"?a[I]:"",l=i("image_os_hash_value")!==""?`${i(
"image_os_hash_algo")}:${i("image_os_hash_value")}`:i("image_checksum"),[c,d]=g(i("image_source")),[u,p]=g(l===""&&i("image_source")!==""?"none":/^\w+:\/\//.test(
l)?"file":"checksum"),[f,m]=g(l),[h,_]=g(JSON.stringify(n.properties.root_device??{})==="{}"?"":JSON.stringify(n.properties.root_device)),[$,T]=g("none"),[y,v]=g(
""),[w,P]=g(""),[k,R]=g(""),[C,H]=g(""),[A,ee]=g(""),[ce,D]=g({plan:null,error:null,asked:!0}),[ae,de]=g(!1),xe=n.name??n.uuid,z=e.verb==="deploy"||e.verb==="re\
build",Ue=z||e.verb==="clean"||e.verb==="service",it=N(e.verb==="clean"||e.verb==="service"?"/v1/runbooks":null),He=ar(w),Gt=ar(h===""?"{}":h),wr=w!==""&&!Array.
isArray(He)?'Steps are a JSON list, such as [{"interface": "deploy", "step": "\u2026", "args": {}}].':null,kr=h!==""&&(typeof Gt!="object"||Gt===null)?'Hints ar\
e a JSON object, such as {"wwn": "0x\u2026"}.':null,_r=ar(y),so=!z||$==="none"?null:y.trim()===""?"The config drive is empty; choose none to do without.":$==="J\
SON"&&!Pc(_r)?'The config drive is a JSON object, such as {"meta_data": {}, "user_data": "\u2026"}.':null,Ci=()=>{if(!(!z||$==="none"||so!==null))return $==="us\
er data"?{user_data:y}:$==="JSON"?_r:y},xn=()=>{let I={target:e.target},se=Ci();return se!==void 0&&(I.configdrive=se),k!==""?I.runbook=k:Array.isArray(He)&&(He.
length>0||e.verb==="clean"||e.verb==="service")&&(I[e.verb==="clean"?"clean_steps":e.verb==="service"?"service_steps":"deploy_steps"]=He),e.verb==="rescue"&&(I.
rescue_password=C),I},Ti=()=>{if(!z)return[];let I=[],se=(ao,io)=>{i(ao)!==io&&I.push(io===""?{op:"remove",path:`/instance_info/${ao}`}:{op:"add",path:`/instanc\
e_info/${ao}`,value:io})};se("image_source",c);let[Ze,Pi]=Nc(f);u==="checksum"&&Ze!==null?(se("image_os_hash_algo",Ze),se("image_os_hash_value",Pi),se("image_ch\
ecksum","")):(se("image_checksum",u==="none"?"":f),se("image_os_hash_algo",""),se("image_os_hash_value",""));let $r=n.properties.root_device;return h===""&&$r!==
void 0?I.push({op:"remove",path:"/properties/root_device"}):h!==""&&Gt!==null&&JSON.stringify($r)!==JSON.stringify(Gt)&&I.push({op:"add",path:"/properties/root_\
device",value:Gt}),I},xr=JSON.stringify(xn());L(()=>{D(se=>({...se,asked:!0}));let I=window.setTimeout(()=>{F("POST",`/corten/v1/nodes/${S(n.uuid)}/plan`,JSON.parse(
xr)).then(se=>D({plan:se,error:null,asked:!1}),se=>D({plan:null,error:_e(se),asked:!1}))},Ac);return()=>window.clearTimeout(I)},[xr,n.updated_at]);let zt=Ti(),Ei=Ft(
n,e,o)??wr??kr??so??(e.verb==="rescue"&&C===""?"a password is missing":null)??((e.verb==="clean"||e.verb==="service")&&w===""&&k===""?"steps or a runbook are mi\
ssing":null)??(e.destroys===!0&&A!==xe?`type ${xe} first`:null),Mi=async()=>{de(!0);try{zt.length>0&&await Wt(n.uuid,zt),await nt(n.uuid,xn(),I=>W(`Waiting: ${I.
message}`)),c!==""&&(Gn.value=[c,...Gn.value.filter(I=>I!==c)].slice(0,8)),W(`${e.label}: asked for.`),s(),r()}catch(I){J(`${e.label} was refused`,I),s()}de(!1)},
Ai=[...zt.length>0?[`corten node set ${re(xe)}${zt.filter(I=>I.op==="add").map(I=>` ${I.path.startsWith("/properties/")?"--property":"--instance-info"} ${re(`${I.
path.split("/")[2]??""}=${typeof I.value=="string"?I.value:JSON.stringify(I.value)}`)}`).join("")}`]:[],`corten node ${e.command} ${re(xe)}`].join(" && ");return t(
ue,{wide:!0,title:`${e.label} ${xe}`,onClose:r,foot:t(x,{children:[t("span",{class:"spring"}),t(b,{onClick:r,children:"Cancel"}),t(b,{kind:e.destroys===!0?"dang\
er":"main",why:Ei,busy:ae,onClick:()=>{Mi()},children:e.label})]}),children:t("div",{class:"form",children:[z&&t(x,{children:[t(B,{label:"Image",hint:"Address o\
f a disk image, or the id of one in Glance.",children:(I,se)=>t(x,{children:[t("input",{id:I,class:"input",list:"lately",autofocus:!0,spellcheck:!1,"aria-descri\
bedby":se,placeholder:"https://images.example/debian-13.qcow2",value:c,onInput:Ze=>d(Ze.currentTarget.value.trim())}),t("datalist",{id:"lately",children:Gn.value.
map(Ze=>t("option",{value:Ze},Ze))})]})}),t("fieldset",{class:"choice",children:[t("legend",{children:"Checksum"}),t("div",{class:"segmented",children:["checksu\
m","file","none"].map(I=>t("label",{children:[t("input",{type:"radio",name:"sum",checked:u===I,onChange:()=>p(I)}),t("span",{children:I==="checksum"?"value":I===
"file"?"checksum file":"none (not advised)"})]},I))}),u!=="none"&&t("input",{class:"input","aria-label":u==="file"?"Address of the checksum file":"Checksum",spellcheck:!1,
placeholder:u==="file"?"https://images.example/SHA256SUMS":"sha256:\u2026",value:f,onInput:I=>m(I.currentTarget.value.trim())})]}),t(ha,{plan:ce.plan,hint:h,wrong:kr,
onHint:_}),t("fieldset",{class:"choice",children:[t("legend",{children:"Config drive"}),t("div",{class:"segmented",children:["none","user data","JSON","address"].
map(I=>t("label",{children:[t("input",{type:"radio",name:"drive",checked:$===I,onChange:()=>T(I)}),t("span",{children:I})]},I))}),$!=="none"&&t(B,{label:`Config\
 drive: ${$}`,error:y===""?null:so,children:(I,se)=>t("textarea",{id:I,class:"area","aria-describedby":se,spellcheck:!1,value:y,onInput:Ze=>v(Ze.currentTarget.value)})})]})]}),
e.verb==="rescue"&&t(B,{label:"Password of the rescue system",children:I=>t("input",{id:I,class:"input",type:"password",autofocus:!0,autocomplete:"new-password",
value:C,onInput:se=>H(se.currentTarget.value)})}),(it.data.value?.runbooks.length??0)>0&&t(B,{label:"Runbook",children:I=>t("select",{id:I,class:"select",value:k,
onChange:se=>R(se.currentTarget.value),children:[t("option",{value:"",children:"none: steps below"}),it.data.value?.runbooks.map(se=>t("option",{value:se.name,children:se.
name},se.uuid))]})}),Ue&&k===""&&t("details",{open:w!==""||e.verb==="clean"||e.verb==="service",children:[t("summary",{children:["Steps",z?" besides the usual o\
nes":""]}),t(B,{label:"Steps as JSON",error:wr,hint:'[{"interface": "deploy", "step": "erase_devices_metadata"}]',children:I=>t("textarea",{id:I,class:"area",spellcheck:!1,
value:w,onInput:se=>P(se.currentTarget.value)})})]}),t(ga,{...ce,changes:zt,ident:xe}),e.destroys===!0&&t(B,{label:`What is on its disks is lost. Type ${xe} to \
go on`,children:I=>t("input",{id:I,class:"input",autocomplete:"off",spellcheck:!1,value:A,onInput:se=>ee(se.currentTarget.value)})}),t("details",{children:[t("s\
ummary",{children:"Show command"}),t("div",{class:"stack",children:[t(Ne,{label:"corten",text:Ai}),t(Ne,{label:"curl",text:X("PUT",`/v1/nodes/${S(n.uuid)}/state\
s/provision`,e.verb==="rescue"?{...xn(),rescue_password:"\u2026"}:xn())})]})]})]})})}function ar(e){if(e.trim()==="")return[];try{return JSON.parse(e)}catch{return null}}
function Pc(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}function Nc(e){let n=/^(sha\d+|md5):(.+)$/i.exec(e);return n===null?[null,e]:[(n[1]??"").toLowerCase(),
n[2]??""]}var Oc={timeline:"timeline",boot_log:"boot",recorder:"bmc",history:"history",validation:"settings"},Rc={failed:"Failed",fault:"The service found a fault",stuck:"\
Waiting for too long,",error:"The last thing asked of it failed",maintenance:"In maintenance",held:"Held"};function va({diagnosis:e,node:n}){let o=Rc[e.kind];if(o===
void 0)return null;let r=n.name??n.uuid,s=e.kind!=="maintenance"&&e.kind!=="held";return t("section",{class:`panel matter${s?" matter-bad":""}`,"aria-label":"Wh\
at is the matter",children:[t("div",{class:"matter-mark",children:s?t(K,{look:"failed"}):t(M,{name:"pause"})}),t("div",{class:"matter-words",children:[t("p",{class:"\
matter-kind",children:[o,e.since!==null&&t(x,{children:[" ","since ",t(Le,{at:e.since})," (",Te(e.since),")"]})]}),t("h2",{class:"matter-cause",children:e.cause?.
sentence??e.meaning}),e.cause?.sentence!==void 0&&e.cause!==null&&t("p",{class:"faint",children:e.meaning}),e.cause?.advice!==null&&e.cause?.advice!==void 0&&t(
"p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",e.cause.advice,e.cause.docs!==null&&t(x,{children:[" ","More in ",t("code",{children:e.
cause.docs}),"."]})]}),e.finding!==null&&t("blockquote",{class:"finding",children:e.finding}),e.maintenance!==null&&t("p",{children:[e.maintenance.reason!==null&&
e.maintenance.reason!==""?`Maintenance: ${e.maintenance.reason}. `:"No reason for the maintenance was given. ",e.maintenance.fault!==null&&`Fault: ${e.maintenance.
fault}.`]}),e.waiting!==null&&t("p",{children:["Waits ",Te(e.waiting.since)," for ",e.waiting.for,"."]}),e.evidence.length>0&&t("ul",{class:"evidence","aria-lab\
el":"Evidence",children:e.evidence.map(a=>t("li",{children:[t("a",{href:E(["nodes",r],{tab:Oc[a.kind]??"json"}),children:a.kind.replace("_"," ")})," ",a.text]},
a.kind+a.text))})]})]})}function he(e){return e==null?"":String(e)}function ir({doc:e,none:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?t(x,{children:o(r)}):s===
void 0?t(Me,{lines:3}):s.status===404||s.status===400?t("p",{class:"faint",children:n}):t(ke,{error:s,retry:e.reload})}function wa({node:e}){let n=`/v1/nodes/${S(
e.uuid)}`,o=N(`${n}/inventory`),r=N(`${n}/firmware`),s=N(`${n}/management/boot_device`),a=N(`${n}/management/indicators`);return t("div",{class:"stack",children:[
t(O,{title:"Inventory",level:3,children:t(ir,{doc:o,none:"The machine was not inspected yet. Inspect finds out what hardware it has; it must be manageable for t\
hat.",children:i=>t(Lc,{inventory:i.inventory})})}),t("div",{class:"cards",children:[t(O,{title:"Boot",level:3,children:t(ge,{all:!0,rows:[["Boot device",s.data.
value?.boot_device==null?s.error.value?.message??null:`${s.data.value.boot_device}${s.data.value.persistent===!0?", always":", once"}`],["Boot mode",e.boot_mode],
["Secure boot",e.secure_boot===null?null:e.secure_boot===!0?"on":"off"]]})}),t(O,{title:"Firmware",level:3,children:t(ir,{doc:r,none:"The driver does not tell a\
bout firmware.",children:i=>i.firmware.length===0?t("p",{class:"faint",children:"No components are known."}):t("table",{class:"table",children:t("tbody",{children:i.
firmware.map(l=>t("tr",{children:[t("th",{scope:"row",children:he(l.component)}),t("td",{children:he(l.current_version)}),t("td",{class:"faint",children:he(l.last_version_flashed)})]},
he(l.component)))})})})}),t(O,{title:"RAID",level:3,children:[t(ya,{title:"Now",config:e.raid_config}),t(ya,{title:"Wanted",config:e.target_raid_config})]}),t(O,
{title:"Indicators",level:3,children:t(ir,{doc:a,none:"The BMC has none.",children:i=>i.indicators.length===0?t("p",{class:"faint",children:"The BMC has none."}):
t("table",{class:"table",children:t("tbody",{children:i.indicators.map(l=>t("tr",{children:[t("th",{scope:"row",children:he(l.name)}),t("td",{children:he(l.component)}),
t("td",{class:"faint",children:l.readonly===!0?"to read":"can be set"})]},he(l.name)))})})})})]})]})}function ya({title:e,config:n}){let o=n.logical_disks;return t(
"div",{children:[t("h4",{class:"sub",children:e}),!Array.isArray(o)||o.length===0?t("p",{class:"faint",children:e==="Now"?"No logical disks are known.":"Nothing\
 is wanted."}):t("ul",{children:o.map((r,s)=>t("li",{children:["RAID ",he(r.raid_level),", ",he(r.size_gb)," GB ",r.is_root_volume===!0&&t("span",{class:"chip",
children:"root"})]},s))})]})}function Lc({inventory:e}){let{cpu:n,memory:o,disks:r=[],interfaces:s=[],system_vendor:a}=e;return t("div",{class:"stack",children:[
t(ge,{rows:[["Machine",[a?.manufacturer,a?.product_name].filter(Boolean).join(" ")],["Serial",a?.serial_number],["CPU",n===void 0?null:`${he(n.count)} \xD7 ${he(
n.model_name??n.architecture)}`],["Memory",o?.physical_mb===void 0?null:we(o.physical_mb*1048576)],["BMC",e.bmc_address],["Boot mode",he(e.boot?.current_boot_mode)]]}),
r.length===0?t(j,{title:"No disks were found"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"hidden-text",children:"\
Disks"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"disk"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"\
model"}),t("th",{scope:"col",children:"kind"}),t("th",{scope:"col",children:"serial"}),t("th",{scope:"col",children:"WWN"})]})}),t("tbody",{children:r.map(i=>t(
"tr",{children:[t("th",{scope:"row",children:he(i.name)}),t("td",{class:"num",children:typeof i.size=="number"?we(i.size):""}),t("td",{children:[i.vendor,i.model].
filter(Boolean).map(String).join(" ")}),t("td",{children:i.rotational===!0?"spinning":i.rotational===!1?"SSD":""}),t("td",{children:t("code",{children:he(i.serial)})}),
t("td",{children:t("code",{children:he(i.wwn)})})]},he(i.name)))})]})}),t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"\
hidden-text",children:"Network interfaces"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"interface"}),t("th",{scope:"col",children:"MAC"}),
t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"link"}),t("th",{scope:"col",children:"product"})]})}),t("tbody",{children:s.map(i=>t("tr",
{children:[t("th",{scope:"row",children:he(i.name)}),t("td",{children:t("code",{children:he(i.mac_address)})}),t("td",{children:he(i.ipv4_address)}),t("td",{children:i.
has_carrier===!0?"up":i.has_carrier===!1?"down":""}),t("td",{class:"faint",children:[he(i.vendor)," ",he(i.product)]})]},he(i.name)+he(i.mac_address)))})]})})]})}function ka({node:e}){let n=N(`/v1/nodes/${S(e.uuid)}/history?detail=True`,{on:i=>i.node===e.uuid,atMost:2e3}),[o,r]=g("all"),[s,a]=g("");return t(O,{title:"His\
tory",level:3,actions:t(x,{children:[t("select",{class:"select","aria-label":"Severity",value:o,onChange:i=>r(i.currentTarget.value),children:[t("option",{value:"\
all",children:"all"}),t("option",{value:"ERROR",children:"errors"}),t("option",{value:"INFO",children:"information"})]}),t("input",{class:"input filter","aria-l\
abel":"Filter history",placeholder:"Filter",value:s,onInput:i=>a(i.currentTarget.value)})]}),children:t(V,{doc:n,lines:6,children:i=>{let l=s.toLowerCase(),c=i.
history.filter(d=>(o==="all"||d.severity===o)&&d.event.toLowerCase().includes(l)).reverse();return c.length===0?t(j,{title:i.history.length===0?"Nothing happene\
d yet":"No entry matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
at"}),t("th",{scope:"col",children:"severity"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"who"})]})}),t("tbody",{children:c.map(d=>t("\
tr",{children:[t("td",{class:"nowrap",children:t(Le,{at:d.created_at})}),t("td",{class:d.severity==="ERROR"?"wrong":"faint",children:d.severity.toLowerCase()}),
t("td",{class:"wrap",children:d.event}),t("td",{children:d.user??d.conductor??""})]},d.uuid))})]})})}})})}function _a({node:e}){let n=JSON.stringify(e,null,2);return t(
O,{title:`GET /v1/nodes/${e.uuid}`,level:3,actions:t(It,{text:n,label:"Copy the document"}),children:t("pre",{class:"json",tabIndex:0,children:n})})}var vn=["enroll","manageable","available","active","rescue"],Dc={verifying:["enroll","manageable"],inspecting:["manageable","manageable"],"inspect wait":["manag\
eable","manageable"],"inspect failed":["manageable","manageable"],adopting:["manageable","active"],"adopt failed":["manageable","active"],cleaning:["manageable",
"available"],"clean wait":["manageable","available"],"clean failed":["manageable","available"],"clean hold":["manageable","available"],deploying:["available","a\
ctive"],"wait call-back":["available","active"],"deploy failed":["available","active"],"deploy hold":["available","active"],deleting:["active","available"],error:[
"active","available"],rescuing:["active","rescue"],"rescue wait":["active","rescue"],"rescue failed":["active","rescue"],unrescuing:["rescue","active"],"unrescu\
e failed":["rescue","active"],servicing:["active","active"],"service wait":["active","active"],"service failed":["active","active"],"service hold":["active","ac\
tive"]};function Ic(e,n){let o=vn.indexOf(e);if(o>=0)return vn.map((u,p)=>({state:u,kind:p<o?"past":p===o?"here":"to come"}));let[r,s]=Dc[e]??["enroll","managea\
ble"],a=n??qe[e]?.target??s,[i,l]=[vn.indexOf(r),vn.indexOf(s)],c=Math.min(i,l),d=[];for(let[u,p]of vn.entries())d.push({state:p,kind:p===a?"target":u<=c?"past":
"to come"}),u===c&&d.push({state:e,kind:"here"});return d}function xa({node:e}){let n=Ic(e.provision_state,e.target_provision_state);return t("ol",{class:"life",
"aria-label":`Life: ${e.provision_state}${e.target_provision_state===null?"":`, on the way to ${e.target_provision_state}`}`,children:n.map(o=>t("li",{class:`st\
op stop-${o.kind.replace(" ","-")}${o.kind==="here"?` here-${Dt(o.state)}`:""}`,"aria-current":o.kind==="here"?"step":void 0,children:[t("span",{class:"stop-mar\
k",children:o.kind==="here"?t(K,{look:Dt(o.state)}):t("i",{})}),t("span",{class:"stop-word",children:o.state}),o.kind==="target"&&t("span",{class:"stop-note",children:"\
target"})]},o.state))})}function $a({node:e,me:n}){let o=`/v1/nodes/${S(e.uuid)}`,r=m=>m.node===e.uuid,s=N(`/v1/ports/detail?node=${S(e.uuid)}`,{on:r}),a=N(`/v1/portgroups/detail?node=${S(
e.uuid)}`,{on:r}),i=N(`${o}/vifs`,{on:r}),l=N(`/v1/volume/targets?node=${S(e.uuid)}&detail=True`),c=N(`/v1/volume/connectors?node=${S(e.uuid)}&detail=True`),[d,
u]=g(null),[p,f]=g(null);return t("div",{class:"stack",children:[t(O,{title:"Ports",level:3,actions:t(b,{small:!0,why:oe(n,"baremetal:port:create"),onClick:()=>u(
"new"),children:[t(M,{name:"plus"})," Add"]}),children:t(V,{doc:s,children:m=>m.ports.length===0?t("p",{class:"faint",children:"No ports. A machine that boots f\
rom the network needs one with its MAC address."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t(
"th",{scope:"col",children:"MAC"}),t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"boots"}),t("th",{scope:"col",children:"network"}),t("th",
{scope:"col",children:"switch"}),t("th",{scope:"col"})]})}),t("tbody",{children:m.ports.map(h=>t("tr",{children:[t("th",{scope:"row",children:t("code",{children:h.
address})}),t("td",{children:h.name??""}),t("td",{children:h.pxe_enabled?"yes":"no"}),t("td",{children:h.physical_network??""}),t("td",{class:"faint",children:[
h.local_link_connection.switch_info,h.local_link_connection.port_id].filter(Boolean).map(String).join(" ")}),t("td",{class:"nowrap",children:[t(b,{small:!0,kind:"\
quiet",label:`Change ${h.address}`,why:oe(n,"baremetal:port:update"),onClick:()=>u(h),children:"Change"}),t(b,{small:!0,kind:"quiet",label:`Delete ${h.address}`,
why:oe(n,"baremetal:port:delete"),onClick:()=>f(h),children:"Delete"})]})]},h.uuid))})]})})})}),t("div",{class:"cards",children:[t(Yn,{title:"Port groups",none:"\
No ports are bonded.",rows:a.data.value?.portgroups.map(m=>[String(m.name??m.uuid),`${String(m.mode??"")} ${String(m.address??"")}`]),error:a.error.value?.message}),
t(Yn,{title:"Attached networks (VIFs)",none:"No network is attached.",rows:i.data.value?.vifs.map(m=>[m.id,""]),error:i.error.value?.message}),t(Yn,{title:"Volu\
me connectors",none:"No connectors.",rows:c.data.value?.connectors.map(m=>[String(m.type),String(m.connector_id)]),error:c.error.value?.message}),t(Yn,{title:"V\
olume targets",none:"No volumes.",rows:l.data.value?.targets.map(m=>[String(m.volume_type),`${String(m.volume_id)}, boot index ${String(m.boot_index)}`]),error:l.
error.value?.message})]}),d!==null&&t(qc,{node:e.uuid,port:d==="new"?null:d,onClose:()=>u(null),onDone:()=>{u(null),s.reload()}}),p!==null&&t(ze,{title:`Delete \
port ${p.address}`,text:t("p",{children:"The machine is not recognised by this address any more."}),word:p.address,action:"Delete",onClose:()=>f(null),onYes:()=>{
F("DELETE",`/v1/ports/${S(p.uuid)}`).then(()=>{W("The port is deleted."),f(null),s.reload()},m=>J("The port could not be deleted",m))}})]})}function Yn({title:e,
none:n,rows:o,error:r}){return t(O,{title:e,level:3,children:r!==void 0?t("p",{class:"faint",children:r}):o===void 0||o.length===0?t("p",{class:"faint",children:n}):
t("table",{class:"table",children:t("tbody",{children:o.map(([s,a])=>t("tr",{children:[t("th",{scope:"row",children:s}),t("td",{children:a})]},s+a))})})})}var Bc=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
function qc({node:e,port:n,onClose:o,onDone:r}){let[s,a]=g(n?.address??""),[i,l]=g(n?.physical_network??""),[c,d]=g(n?.pxe_enabled??!0),u=s!==""&&!Bc.test(s)?"A\
 MAC address has six pairs, such as 52:54:00:12:34:56.":null,p=async()=>{try{if(n===null)await F("POST","/v1/ports",{node_uuid:e,address:s,pxe_enabled:c,...i===
""?{}:{physical_network:i}});else{let f=[{op:"replace",path:"/address",value:s},{op:"replace",path:"/pxe_enabled",value:c},i===""?{op:"remove",path:"/physical_n\
etwork"}:{op:"add",path:"/physical_network",value:i}];await F("PATCH",`/v1/ports/${S(n.uuid)}`,f)}W(n===null?"The port is added.":"The port is changed."),r()}catch(f){
J("The port was refused",f)}};return t(ue,{title:n===null?"Add a port":`Port ${n.address}`,onClose:o,foot:t(x,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,
{kind:"main",why:s===""?"a MAC address is missing":u,onClick:()=>{p()},children:n===null?"Add":"Change"})]}),children:[t(B,{label:"MAC address",error:u,children:f=>t(
"input",{id:f,class:"input",autofocus:!0,spellcheck:!1,value:s,onInput:m=>a(m.currentTarget.value.trim())})}),t(B,{label:"Physical network",hint:"Empty if you h\
ave only one.",children:f=>t("input",{id:f,class:"input",value:i,onInput:m=>l(m.currentTarget.value.trim())})}),t("label",{class:"check-line",children:[t("input",
{type:"checkbox",checked:c,onChange:f=>d(f.currentTarget.checked)})," the machine may boot from it"]})]})}function Sa({node:e,me:n,reload:o}){let[r,s]=g(null),a=N(`/v1/nodes/${S(e.uuid)}/children`),i=e.name??e.uuid,l=oe(n,Oe.update),c=(p,f)=>t(b,{small:!0,kind:"quie\
t",why:l,onClick:()=>s(p),label:`${f} of ${i}`,children:f}),d=e.instance_info.image_source,u=()=>{s(null),o()};return t("div",{class:"cards",children:[t(O,{title:"\
Identity",level:3,actions:t(ie,{commands:{corten:`corten node show ${re(i)}`,curl:X("GET",`/v1/nodes/${S(e.uuid)}`)}}),children:t(ge,{rows:[["Name",t("span",{class:"\
edited",children:[e.name??"\u2013"," ",c("name","Rename")]})],["UUID",t("code",{children:e.uuid})],["Resource class",t("span",{class:"edited",children:[e.resource_class??
"\u2013"," ",c("class","Change")]})],["Driver",e.driver],["Conductor",e.conductor],["Group",e.conductor_group],["Enrolled",t(me,{at:e.created_at,ago:!0})],["Des\
cription",t("span",{class:"edited",children:[e.description??"\u2013"," ",c("description","Edit")]})]]})}),t(O,{title:"In use by",level:3,children:[e.instance_uuid===
null&&d===void 0?t("p",{class:"faint",children:e.provision_state==="active"?"No instance or image is recorded.":"No instance. Deploy writes an image to the mach\
ine and boots it."}):t(ge,{rows:[["Instance",e.instance_uuid===null?null:t("code",{children:e.instance_uuid})],["Name",e.instance_name],["Image",typeof d=="stri\
ng"?t("code",{children:d}):null],["Allocation",e.allocation_uuid===null?null:t("a",{href:E(["allocations"]),children:e.allocation_uuid})]]}),t(ge,{rows:[["Owner",
t("span",{class:"edited",children:[e.owner??"\u2013"," ",c("owner","Change")]})],["Lessee",e.lessee]]})]}),t(O,{title:"Traits",level:3,actions:c("traits","Edit"),
children:e.traits.length===0?t("p",{class:"faint",children:"None. Allocations can ask for traits."}):t("ul",{class:"chips",children:e.traits.map(p=>t("li",{class:"\
chip",children:p},p))})}),t(O,{title:"Safety",level:3,children:t(ge,{rows:[["Protected",t("span",{class:"edited",children:[e.protected?`yes${e.protected_reason===
null?"":`: ${e.protected_reason}`}`:"no"," ",c("protection",e.protected?"End":"Protect")]})],["Retired",t("span",{class:"edited",children:[e.retired?`yes${e.retired_reason===
null?"":`: ${e.retired_reason}`}`:"no"," ",c("retirement",e.retired?"End":"Retire")]})],["Automated clean",e.automated_clean===null?"as configured":String(e.automated_clean)]]})}),
t(O,{title:"Belongs to",level:3,children:t(ge,{all:!0,rows:[["Parent",e.parent_node===null?null:t("a",{href:E(["nodes",e.parent_node]),children:e.parent_node})],
["Children",(a.data.value?.children.length??0)===0?null:t("ul",{class:"chips",children:a.data.value?.children.map(p=>t("li",{children:t("a",{href:E(["nodes",p]),
children:p.slice(0,8)})},p))})],["Chassis",e.chassis_uuid===null?null:t("code",{children:String(e.chassis_uuid)})],["Shard",e.shard]]})}),t(O,{title:"Properties",
level:3,children:[t(ge,{rows:Object.entries(e.properties).map(([p,f])=>[p,typeof f=="object"?t("code",{children:JSON.stringify(f)}):String(f)])}),Object.keys(e.
extra).length>0&&t(x,{children:[t("h4",{class:"sub",children:"Extra"}),t(ge,{rows:Object.entries(e.extra).map(([p,f])=>[p,typeof f=="object"?t("code",{children:JSON.
stringify(f)}):String(f)])})]})]}),r!==null&&t(Fc,{what:r,node:e,onClose:()=>s(null),onDone:u})]})}function Fc({what:e,node:n,onClose:o,onDone:r}){let s={name:n.
name??"",class:n.resource_class??"",description:n.description??"",owner:n.owner??"",traits:n.traits.join(`
`),protection:n.protected_reason??"",retirement:n.retired_reason??""},a={name:["Name",""],class:["Resource class","Allocations and Nova choose machines by it."],
description:["Description","Up to 4,096 characters; everybody who sees the node sees it."],owner:["Owner","Id of the project that owns the machine."],traits:["T\
raits, one a line","Standard traits, or CUSTOM_ and capitals."],protection:["Reason",n.protected?"Undeploy and rebuild will be possible again.":"Undeploy and re\
build will be refused."],retirement:["Reason",n.retired?"The machine can be offered again.":"The machine is not offered any more."]},[i,l]=g(s[e]),c=(h,_)=>_===
""?{op:"remove",path:h}:{op:"add",path:h,value:_},d=()=>{if(e==="name")return[c("/name",i)];if(e==="class")return[c("/resource_class",i)];if(e==="description")return[
c("/description",i)];if(e==="owner")return[c("/owner",i)];let[h,_,$]=e==="protection"?["/protected","/protected_reason",n.protected]:["/retired","/retired_reaso\
n",n.retired];return $?[{op:"replace",path:h,value:!1}]:[{op:"replace",path:h,value:!0},...i===""?[]:[c(_,i)]]},u=async()=>{try{if(e==="traits"){let h=i.split(/\s+/).
filter(_=>_!=="");await F("PUT",`/v1/nodes/${S(n.uuid)}/traits`,{traits:h})}else await Wt(n.uuid,d());W("Changed."),r()}catch(h){J("The change was refused",h)}},
p=e==="protection"&&n.protected||e==="retirement"&&n.retired,[f,m]=a[e];return t(ue,{title:e==="protection"?p?"End protection":"Protect":e==="retirement"?p?"End\
 retirement":"Retire":f,onClose:o,foot:t(x,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,{kind:"main",onClick:()=>{u()},children:"Change"})]}),children:t("f\
orm",{onSubmit:h=>{h.preventDefault(),u()},children:p?t("p",{children:m}):t(B,{label:f,hint:m,children:h=>e==="traits"||e==="description"?t("textarea",{id:h,class:"\
area",autofocus:!0,value:i,onInput:_=>l(_.currentTarget.value)}):t("input",{id:h,class:"input",autofocus:!0,value:i,onInput:_=>l(_.currentTarget.value)})})})})}var jc=["power","management","boot","deploy","network","storage","inspect","console","raid","bios","firmware","rescue","vendor"],Wc=["driver_info","instance_inf\
o","properties","extra"];function Ca({node:e,me:n,reload:o}){let r=N(`/v1/nodes/${S(e.uuid)}/validate`),s=N(`/v1/nodes/${S(e.uuid)}/bios?detail=True`),[a,i]=g(null);
return t("div",{class:"stack",children:[t(O,{title:`Interfaces of ${e.driver}`,level:3,actions:t(b,{small:!0,onClick:r.reload,children:"Validate again"}),children:t(
V,{doc:r,lines:8,children:l=>t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
interface"}),t("th",{scope:"col",children:"implementation"}),t("th",{scope:"col",children:"verdict"})]})}),t("tbody",{children:jc.map(c=>t("tr",{children:[t("th",
{scope:"row",children:c}),t("td",{children:String(e[`${c}_interface`]??"")}),t("td",{children:t(Uc,{verdict:l[c]})})]},c))})]})})})}),t("div",{class:"cards",children:Wc.
map(l=>t(O,{title:l,level:3,actions:t(b,{small:!0,kind:"quiet",label:`Edit ${l}`,why:oe(n,Oe.update),onClick:()=>i(l),children:"Edit"}),children:t(Hc,{values:e[l]})},
l))}),t(O,{title:"BIOS settings",level:3,children:t(V,{doc:s,children:l=>l.bios.length===0?t(j,{title:"No BIOS settings are known",children:"The service reads t\
hem when the machine is verified, cleaned or deployed, if its driver can."}):t("div",{class:"scroll-x scroll-y",children:t("table",{class:"table",children:[t("t\
head",{children:t("tr",{children:[t("th",{scope:"col",children:"setting"}),t("th",{scope:"col",children:"value"}),t("th",{scope:"col",children:"allowed"})]})}),
t("tbody",{children:l.bios.map(c=>t("tr",{children:[t("th",{scope:"row",children:c.name}),t("td",{children:[c.value," ",c.read_only===!0&&t("span",{class:"chip",
children:"read only"})]}),t("td",{class:"faint",children:c.allowable_values?.join(", ")??(c.lower_bound==null?"":`${c.lower_bound} to ${c.upper_bound??""}`)})]},
c.name))})]})})})}),a!==null&&t(Jc,{name:a,node:e,onClose:()=>i(null),onDone:()=>{i(null),o(),r.reload()}})]})}function Uc({verdict:e}){return e===void 0?t("spa\
n",{class:"faint",children:"not validated"}):e.result===!0?t("span",{class:"good",children:[t(M,{name:"check"})," would work"]}):e.result===null?t("span",{class:"\
faint",children:e.reason??"not supported"}):t("span",{class:"wrong",children:[t(K,{look:"failed"})," ",e.reason??"would not work"]})}function Hc({values:e}){let n=Object.
entries(e);return n.length===0?t("p",{class:"faint",children:"Empty."}):t("dl",{class:"values",children:n.map(([o,r])=>t("div",{children:[t("dt",{children:o}),t(
"dd",{children:t("code",{children:typeof r=="string"?r:JSON.stringify(r)})})]},o))})}function Kc(e,n,o){let r=a=>`/${e}/${a.replaceAll("~","~0").replaceAll("/",
"~1")}`,s=[];for(let[a,i]of Object.entries(o))a in n?JSON.stringify(n[a])!==JSON.stringify(i)&&s.push({op:"replace",path:r(a),value:i}):s.push({op:"add",path:r(
a),value:i});for(let a of Object.keys(n))a in o||s.push({op:"remove",path:r(a)});return s}function Jc({name:e,node:n,onClose:o,onDone:r}){let s=n[e],[a,i]=g(JSON.
stringify(s,null,2)),l=null,c=null;try{let p=JSON.parse(a);typeof p=="object"&&p!==null&&!Array.isArray(p)?l=p:c="This has to be a JSON object."}catch(p){c=p instanceof
Error?p.message:String(p)}let d=l===null?[]:Kc(e,s,l),u=async()=>{try{await Wt(n.uuid,d),W(`${e} is changed.`),r()}catch(p){J("The change was refused",p)}};return t(
ue,{wide:!0,title:`${e} of ${n.name??n.uuid}`,onClose:o,foot:t(x,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,{kind:"main",why:c!==null?"it is not JSON":d.
length===0?"nothing is changed":null,onClick:()=>{u()},children:["Send ",d.length>0?`${d.length} changes`:""]})]}),children:[t(B,{label:"JSON",error:c,hint:"Sec\
rets are masked as ******; leave them and they stay as they are.",children:p=>t("textarea",{id:p,class:"area area-tall",autofocus:!0,spellcheck:!1,value:a,onInput:f=>i(
f.currentTarget.value)})}),d.length>0&&t("ul",{class:"diff","aria-label":"What will be sent",children:d.map(p=>t("li",{class:`diff-${p.op}`,children:t("code",{children:[
p.op==="remove"?"\u2212":"+"," ",p.path," ",p.value===void 0?"":JSON.stringify(p.value)]})},p.path))})]})}var Ta={running:"working",done:"in_use",failed:"failed",aborted:"held",waiting:"waiting",pending:"ready"};function lr(e){let n=e.requested_by;return n===null?null:
n.user??n.project}function Ea({flow:e}){let n=lr(e);return t("section",{class:"panel running","aria-label":"Under way",children:[t("header",{class:"running-head",
children:[t("h2",{children:[t(K,{look:"working"})," ",e.verb]}),t("span",{class:"faint",children:[n!==null&&`asked by ${n} `,t(me,{at:e.started_at,ago:!0}),e.requested_by?.
request_id!=null&&t(x,{children:[" \xB7 ",t("code",{children:e.requested_by.request_id})]})]}),e.restarts>0&&t("span",{class:"chip",children:["taken up again ",
e.restarts," times"]})]}),t(Aa,{flow:e}),t(Ma,{flow:e}),t(Pa,{flow:e})]})}function Ma({flow:e}){let{progress:n,waiting:o}=e,r=c=>{let d=n?.[c];return typeof d==
"number"?d:null},[s,a,i,l]=[r("bytes"),r("total"),r("rate"),r("eta")];return t(x,{children:[s!==null&&a!==null&&a>0&&t("div",{class:"progress-line",children:[t(
De,{value:Re(s,a),label:"Bytes written"}),t("span",{children:[we(s)," of ",we(a),i!==null&&` \xB7 ${we(i)}/s`,l!==null&&` \xB7 ${$e(l)} left`]})]}),o!==null&&t(
"p",{class:"waits",children:[t(K,{look:"waiting"})," waits ",Te(o.since??o.started_at)," for ",o.for??o.what??"the machine"]})]})}function Vc(e,n){let o=e.phases[n];
if(o===void 0)return 0;if(o.duration!==null)return o.duration;let r=e.phases[n+1],s=r===void 0?e.ended_at===null?Ge.value:Date.parse(e.ended_at):Date.parse(r.started_at);
return Math.max(0,(s-Date.parse(o.started_at))/1e3)}function Aa({flow:e}){if(e.phases.length===0)return null;let n=e.phases.map((r,s)=>Vc(e,s)),o=n.reduce((r,s)=>r+
s,0);return t("ol",{class:"phases",children:e.phases.map((r,s)=>{let a=n[s]??0,i=s===e.phases.length-1,l=i&&e.state==="running"?"running":i&&e.state==="failed"?
"failed":"done";return t("li",{class:`phase phase-${l}`,style:{flexGrow:o===0?1:Math.max(a/o,.04)},title:`${r.name}: ${$e(a)} (${r.by})`,children:[t("span",{class:"\
phase-name",children:r.name}),t("span",{class:"phase-time",children:$e(a)})]},`${s}-${r.name}`)})})}function Pa({flow:e}){if(e.steps.length===0)return null;let n=e.
steps.filter(o=>o.state==="done").length;return t("div",{class:"steps",children:[t("span",{class:"faint",children:["steps ",n," of ",e.steps.length]}),e.steps.map(
(o,r)=>t("span",{class:`step step-${o.state}`,title:`${o.state}${o.duration===null?"":`, ${$e(o.duration)}`}`,children:[t(K,{look:Ta[o.state]??"ready"})," ",o.name,
" ",t("span",{class:"hidden-text",children:o.state})]},`${r}-${o.name}`))]})}function Na({doc:e}){return t(V,{doc:e,lines:6,children:n=>n.flows.length===0?t(j,{
title:"Nothing was done to this machine yet",children:"Operations appear here with their phases, steps and waits."}):t("ol",{class:"flows",children:n.flows.map(
o=>t("li",{class:"flow",children:[t("header",{class:"flow-head",children:[t(K,{look:Ta[o.state]??"ready"}),t("h3",{children:o.verb}),t("span",{children:[o.state,
o.result!==null&&` \u2192 ${o.result}`]}),t("span",{class:"faint",children:[t(Le,{at:o.started_at})," \xB7 ",o.ended_at===null?Te(o.started_at):$e(o.duration??0),
lr(o)!==null&&` \xB7 by ${lr(o)??""}`,o.restarts>0&&` \xB7 taken up again ${o.restarts} times`]})]}),t(Aa,{flow:o}),o.state==="running"&&t(Ma,{flow:o}),t(Pa,{flow:o}),
o.warnings.map((r,s)=>t("p",{class:"flow-warning",children:[t(M,{name:"warn"})," ",typeof r=="string"?r:JSON.stringify(r)]},s)),o.error!==null&&t("blockquote",{
class:"finding",children:o.error})]},o.started_at+o.verb))})})}var yn=[["overview","Overview"],["timeline","Timeline"],["boot","Boot"],["bmc","BMC"],["hardware","Hardware"],["settings","Settings"],["network","Network"],["hi\
story","History"],["console","Console"],["json","JSON"]];function Ra({ident:e}){let n=P=>P.node===o.current||P.node_name===e||P.node===e,o=Y(""),[r,s]=g(!1),a=N(
`/v1/nodes/${S(r?o.current:e)}`,{on:n,atMost:400,keep:!0}),i=a.data.value;i!==void 0&&(o.current=i.uuid);let l=i?.uuid??null,c=N(l===null?null:`/corten/v1/me?no\
de=${l}`),d=i===void 0?"ready":Dt(i.provision_state),u=d==="working"||d==="waiting"||(i?.reservation??null)!==null,p=N(l===null?null:`/corten/v1/nodes/${l}/time\
line?limit=20`,{on:n,atMost:400,every:u?1e3:void 0}),f=N(l===null?null:`/corten/v1/nodes/${l}/diagnosis`,{on:n,atMost:800,every:u?5e3:3e4}),m=Q.value.get("tab")??
"overview",h=P=>{let k=yn.findIndex(([C])=>C===(Q.peek().get("tab")??"overview")),R=yn[(k+P+yn.length)%yn.length];R!==void 0&&U({tab:R[0]==="overview"?null:R[0]})};
Be([{keys:"[",about:"tab before",run:()=>h(-1)},{keys:"]",about:"next tab",run:()=>h(1)},{keys:".",about:"verbs of this node",run:()=>document.querySelector(".v\
erbs .button")?.focus()}]);let _=a.error.value?.status===404;if(L(()=>{_&&o.current!==""&&s(!0)},[_]),L(()=>{r&&i!==void 0&&i.name!==e&&i.uuid!==e&&Z(hs(i.name??
i.uuid),!0)},[r,i?.name]),L(()=>{document.querySelector('.tab[aria-selected="true"]')?.scrollIntoView({block:"nearest",inline:"center"})},[m,i!==void 0]),L(()=>(document.
title=`${i?.name??e} \xB7 Corten`,()=>{document.title="Corten"}),[i?.name]),i===void 0){let P=a.error.value;return t("div",{class:"stack",children:[t(Oa,{}),P===
void 0?t(Me,{lines:8}):t(ke,{error:P,retry:a.reload})]})}let T=_&&r,y={node:i,me:c.data.value,timeline:p.data.value,reload:a.reload},v=p.data.value?.flows[0],w=mt.
find(P=>P.verb===Q.value.get("do")&&P.asks===!0);return t("div",{class:"node",children:[t("header",{class:"node-head",children:[t(Oa,{}),t("h1",{class:"node-nam\
e",children:[i.name??i.uuid,t(It,{text:i.uuid,label:"Copy the UUID"})]}),t(pt,{state:i.provision_state,target:i.target_provision_state,maintenance:i.maintenance}),
t("span",{class:"faint",children:["since ",t(me,{at:i.provision_updated_at})]}),t("span",{class:"node-fact",children:[t(M,{name:"power"})," ",i.power_state??"po\
wer unknown",i.target_power_state!==null&&` \u2192 ${i.target_power_state}`]}),i.resource_class!==null&&t("span",{class:"node-fact",children:["class ",i.resource_class]}),
i.conductor!==null&&t("span",{class:"node-fact",children:i.conductor}),i.reservation!==null&&t("span",{class:"node-fact node-lock",children:[t(M,{name:"lock"}),
" locked by ",i.reservation]}),i.protected&&t("span",{class:"chip",children:"protected"}),i.retired&&t("span",{class:"chip",children:"retired"})]}),T&&t("p",{class:"\
banner",role:"alert",children:[t(M,{name:"warn"})," This node was deleted meanwhile. What you see is what was last known."]}),t("div",{class:T?"main-stale stack":
"stack",children:[t("section",{class:"panel life-panel","aria-label":"Life",children:[t(xa,{node:i}),t(ia,{...y})]}),f.data.value!==void 0&&t(va,{diagnosis:f.data.
value,...y}),v!==void 0&&v.state==="running"&&t(Ea,{flow:v}),t("nav",{class:"tabs",role:"tablist","aria-label":"About this node",children:yn.map(([P,k])=>t("a",
{role:"tab",id:`tab-${P}`,"aria-selected":P===m,"aria-controls":"tab-panel",tabIndex:P===m?0:-1,class:"tab",href:E(["nodes",e],{tab:P==="overview"?null:P}),onKeyDown:R=>{
R.key!=="ArrowRight"&&R.key!=="ArrowLeft"||(R.preventDefault(),h(R.key==="ArrowRight"?1:-1),requestAnimationFrame(()=>document.querySelector('.tab[aria-selected\
="true"]')?.focus()))},children:k},P))}),t("div",{role:"tabpanel",id:"tab-panel","aria-labelledby":`tab-${m}`,class:"tab-panel",children:[m==="overview"&&t(Sa,{
...y}),m==="timeline"&&t(Na,{doc:p}),m==="boot"&&t(da,{node:i,busy:u}),m==="bmc"&&t(ca,{...y}),m==="hardware"&&t(wa,{...y}),m==="settings"&&t(Ca,{...y}),m==="ne\
twork"&&t($a,{...y}),m==="history"&&t(ka,{node:i}),m==="console"&&t(ma,{...y}),m==="json"&&t(_a,{node:i})]})]}),w!==void 0&&t(ba,{action:w,...y,onClose:()=>U({do:null})})]})}
function Oa(){return t("a",{class:"crumb",href:E(["nodes"]),children:"\u2039 Nodes"})}function La(e,n,o,r){let s=Math.max(0,Math.floor(e/o)-8),a=Math.min(r,Math.ceil((e+n)/o)+8);return{first:Math.min(s,Math.max(0,r-1)),end:Math.max(a,0)}}var ht=100;
function wn({first:e,end:n}){let o=[];for(let r=Math.floor(e/ht);r*ht<n;r+=1)o.push(r);return o}function Da(e,n,o,r){return e*r<n?e*r:(e+1)*r>n+o?(e+1)*r-o:null}var Gc=500;function zc(e,n){let o=r=>{let s=n.data[r];return typeof s=="string"?s:null};if(n.kind==="provision"){let r=o("to");if(r===null||qe[r]===void 0)return null;
let s=qe[r].look;return{...e,provision_state:r,look:s,target_provision_state:o("target"),provision_updated_at:n.at,cause:s==="failed"?e.cause:null}}if(n.kind===
"power"){let r=o("to");return r===null?null:{...e,power_state:r}}return null}var cr=class{constructor(n,o){this.query=n;this.before=o;o?.total===void 0&&(this.before=
o?.before),this.total=this.before?.total,this.read(0)}query;before;version=G(0);total;error;pages=new Map;cursors=new Map;asked=new Map;sight={first:0,end:ht};timer;seeTimer;last=0;at(n){
return this.before!==void 0?this.before.at(n):this.pages.get(Math.floor(n/ht))?.[n%ht]}loaded(){return[...this.pages.values()].flat()}see(n){this.sight=n,window.
clearTimeout(this.seeTimer),wn(n).filter(r=>!this.pages.has(r)&&!this.asked.has(r)).length!==0&&(this.seeTimer=window.setTimeout(()=>{for(let[r,s]of this.asked)
wn(this.sight).includes(r)||s.abort();for(let r of wn(this.sight))!this.pages.has(r)&&!this.asked.has(r)&&this.read(r)},50))}read(n){let o=new AbortController;this.
asked.get(n)?.abort(),this.asked.set(n,o),te(`/corten/v1/nodes?${this.query}&limit=${ht}&offset=${n*ht}`,o.signal).then(r=>{this.asked.get(n)===o&&this.asked.delete(
n),this.pages.set(n,r.nodes),this.cursors.set(n,r.cursor),this.total=r.total,this.before=void 0,this.error=void 0,Bt(r.cursor),this.version.value+=1},r=>{this.asked.
get(n)===o&&this.asked.delete(n),!o.signal.aborted&&(this.error=_e(r),this.pages.size===0&&(this.total=void 0),this.before=void 0,this.version.value+=1)})}take(n){
let o=!1,r=new Map;for(let s of n){let a=r.get(s.node);a===void 0?r.set(s.node,[s]):a.push(s)}for(let[s,a]of this.pages){let i=this.cursors.get(s)??0;for(let[l,
c]of a.entries())for(let d of r.get(c.uuid)??[]){if(d.cursor<=i)continue;let u=zc(a[l]??c,d);u!==null&&(a[l]=u,o=!0)}}if(o&&(this.version.value+=1),this.timer===
void 0){let s=Math.max(0,this.last+Gc-Date.now());this.timer=window.setTimeout(()=>{this.timer=void 0,this.last=Date.now(),this.refresh()},s)}}refresh(){let n=new Set(
wn(this.sight));for(let o of[...this.pages.keys()])n.has(o)||this.pages.delete(o);n.size===0&&n.add(0);for(let o of n)this.read(o)}stop(){window.clearTimeout(this.
timer),window.clearTimeout(this.seeTimer);for(let n of this.asked.values())n.abort()}},Yc="uuid,name,look,provision_state,target_provision_state,provision_updat\
ed_at,power_state,target_power_state,maintenance,fault,retired,protected,driver,resource_class,conductor,conductor_group,chassis_uuid,shard,owner,lessee,instanc\
e_uuid,reservation,cause";function Ia(e,n){let o=$t.value+We.value,r=Y(void 0),s=Je(()=>(r.current=new cr(`q=${S(e)}&sort=${S(n)}&fields=${Yc}`,r.current),r.current),
[e,n]);return L(()=>{let a=ft(i=>s.take(i));return()=>{a(),s.stop()}},[s]),L(()=>{o>0&&s.refresh()},[o]),{version:s.version.value,total:s.total,error:s.error,at:a=>s.
at(a),see:a=>s.see(a),loaded:()=>s.loaded()}}var Mt=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"provision",body:()=>({target:o}),...s}),ur=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"power",body:()=>({
target:o}),...s}),Qn=[Mt("manage","Manage","manage","Checks that each machine can be controlled.",{quick:!0}),Mt("provide","Provide","provide","Cleans each mach\
ine and offers it for use.",{quick:!0}),Mt("deploy","Deploy","active","Writes the image that stands in the instance_info of each node, and boots it.",{quick:!0}),
Mt("delete","Undeploy","deleted","Takes each machine back and cleans it; what is on its disks is lost.",{quick:!0,destroys:!0}),Mt("inspect","Inspect","inspect",
"Finds out what hardware each machine has."),Mt("abort","Abort","abort","Stops what is under way at the end of a step."),Mt("unrescue","Unrescue","unrescue","Bo\
ots the own system of each machine again."),ur("power-on","Power on","power on","Switches each machine on."),ur("power-off","Power off","power off","Switches ea\
ch machine off at once.",{destroys:!0}),ur("reboot","Reboot","rebooting","Restarts each machine at once.",{destroys:!0}),{key:"maintenance",label:"Maintenance o\
n",action:"maintenance",reason:!0,about:"Keeps the service from working on these machines.",body:e=>e===""?{target:"on"}:{target:"on",reason:e}},{key:"no-mainte\
nance",label:"Maintenance off",action:"maintenance",about:"Lets the service work on these machines again.",body:()=>({target:"off"})}];function Ba(e){return Qn.
find(n=>n.key===e)}function qa({q:e,total:n,selectAll:o}){let r=Pe.value.size,s=Ba(Q.value.get("bulk")??""),a=c=>U({bulk:c.key});if(r===0)return null;if(s!==void 0)return t(Qc,{verb:s,
nodes:Pe.value,onClose:()=>U({bulk:null})});let i=Qn.filter(c=>c.quick),l=Qn.filter(c=>!c.quick);return t("div",{class:"bulk-bar",role:"region","aria-label":"Se\
lected nodes",children:[t("strong",{children:[pe(r,"node")," selected"]}),r<n&&t(b,{small:!0,kind:"quiet",onClick:o,children:e===""?`All ${n}`:`All ${n} that ma\
tch`}),t("span",{class:"bulk-verbs",children:[i.map(c=>t(b,{small:!0,onClick:()=>a(c),children:[c.label,"\u2026"]},c.key)),t(Qe,{right:!0,label:"More",choices:l.
map(c=>({label:`${c.label}\u2026`,danger:c.destroys,onPick:()=>a(c)}))})]}),t(b,{small:!0,kind:"quiet",onClick:()=>Pe.value=new Map,children:"Clear"})]})}function Qc({
verb:e,nodes:n,onClose:o}){let r=n.size,[s,a]=g(""),[i,l]=g(""),[c,d]=g(!0),[u,p]=g(null),[f,m]=g(null),[h,_]=g(null),$=()=>Cs({action:e.action,arguments:e.body(
s),nodes:n,inWaves:c,mayFail:u}),T=async()=>{_("trial");try{m(await F("POST","/corten/v1/batches?dry_run=true",$())??null)}catch(k){J("The dry run was refused",
k)}_(null)},y=async()=>{_("start");try{let k=await F("POST","/corten/v1/batches",$());Pe.value=new Map,k!=null&&Z(E(["batches",k.uuid]))}catch(k){J("The batch w\
as refused",k),_(null)}},v=r>1e4?`at most ${1e4} nodes at a time`:null,w=e.destroys!==!0||i.trim()===String(r),P=v??(w?null:`type ${r} first`);return t(ue,{wide:!0,
title:`${e.label} ${pe(r,"node")}`,onClose:o,foot:t(x,{children:[t(b,{autofocus:!0,busy:h==="trial",why:v,onClick:()=>{T()},children:"Dry run"}),t("span",{class:"\
spring"}),t(b,{onClick:o,children:"Cancel"}),t(b,{kind:e.destroys===!0?"danger":"main",busy:h==="start",why:P,onClick:()=>{y()},children:e.label})]}),children:t(
"div",{class:"form",children:[t("p",{children:[e.about," ",r>1&&c?"First one node, then a tenth, then the rest; the next wave begins when the last one ended wel\
l.":""," The service does it, also when this page is closed."]}),e.reason===!0&&t(B,{label:"Reason",children:k=>t("input",{id:k,class:"input",value:s,onInput:R=>a(
R.currentTarget.value)})}),r>1&&t("div",{class:"row",children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:c,onChange:k=>d(k.currentTarget.
checked)})," In waves: 1, 10 %, the rest"]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:u!==null,onChange:k=>p(k.currentTarget.checked?
0:null)})," Allow failures"]}),u!==null&&t("label",{class:"inline-label",children:["at most"," ",t("input",{class:"input input-number",type:"number",min:0,max:1e4,
value:u,onInput:k=>p(Math.max(0,Number(k.currentTarget.value)))})]})]}),e.destroys===!0&&t(B,{label:`Type ${r} to go on`,children:k=>t("input",{id:k,class:"inpu\
t input-number",inputMode:"numeric",autocomplete:"off",value:i,onInput:R=>l(R.currentTarget.value)})}),f!==null&&t(Zc,{trial:f})]})})}function Zc({trial:e}){let n=[
...e.nodes].sort((o,r)=>Number(o.is_accepted)-Number(r.is_accepted)||o.place-r.place);return t("div",{class:"trial",children:[t("p",{role:"status",children:[t("\
strong",{children:e.accepted})," would start, ",t("strong",{children:e.refused})," would be refused",e.left_out>0&&`, ${e.left_out} were not asked`,". Nothing w\
as done."]}),t("div",{class:"scroll-y",tabIndex:0,role:"region","aria-label":"Result of the dry run",children:t("table",{class:"table",children:t("tbody",{children:n.
map(o=>t("tr",{children:[t("th",{scope:"row",children:o.name??o.node}),t("td",{class:o.is_accepted?"good":"wrong",children:o.is_accepted?"would start":"refused"}),
t("td",{children:o.refusal?.text??o.states.join(" \u2192 ")})]},o.node))})})})]})}var pr=G(new Map);function Xc({row:e}){let n=pr.value.get(e.uuid);return n===void 0?null:t(De,{value:n,label:`${e.name??e.uuid}: ${Math.round(n)} %`})}var gt=t(
"span",{class:"faint",children:"\u2013"}),Zn=[{key:"name",label:"name",width:"minmax(140px, 1.2fr)",sort:"name",cell:e=>t(x,{children:[t("a",{class:"node-link",
tabIndex:-1,href:E(["nodes",e.name??e.uuid]),children:e.name??e.uuid}),e.reservation!==null&&t("span",{class:"lock",title:`${e.reservation} works on it`,children:[
t(M,{name:"lock"}),t("span",{class:"hidden-text",children:["locked by ",e.reservation]})]})]})},{key:"state",label:"state",width:"minmax(200px, 1.5fr)",sort:"pr\
ovision_state",cell:e=>t(x,{children:[t(pt,{state:e.provision_state,target:e.target_provision_state,maintenance:e.maintenance}),t(Xc,{row:e})]})},{key:"since",label:"\
in state",width:"96px",sort:"provision_updated_at",cell:e=>t(me,{at:e.provision_updated_at})},{key:"power",label:"power",width:"76px",sort:"power_state",cell:e=>e.
power_state?.replace("power ","")??gt},{key:"class",label:"class",width:"minmax(90px, .7fr)",sort:"resource_class",cell:e=>e.resource_class??gt},{key:"driver",label:"\
driver",width:"120px",sort:"driver",cell:e=>e.driver},{key:"conductor",label:"conductor",width:"110px",sort:"conductor",cell:e=>e.conductor??gt},{key:"group",label:"\
conductor group",width:"130px",sort:"conductor_group",cell:e=>e.conductor_group===""?gt:e.conductor_group},{key:"owner",label:"owner",width:"130px",sort:"owner",
cell:e=>e.owner??gt},{key:"lessee",label:"lessee",width:"130px",sort:"lessee",cell:e=>e.lessee??gt},{key:"shard",label:"shard",width:"90px",sort:"shard",cell:e=>e.
shard??gt},{key:"instance",label:"instance",width:"120px",sort:"instance_uuid",cell:e=>e.instance_uuid===null?gt:t("code",{title:e.instance_uuid,children:e.instance_uuid.
slice(0,8)})},{key:"matter",label:"what is the matter",width:"minmax(200px, 2fr)",cell:e=>{let n=e.cause?.sentence??e.fault??(e.retired?"retired":null);return n===
null?"":t("span",{title:n,children:n})}}];var Fa=30,eu=56,tu=[{name:"All",q:""},{name:"Failed",q:"state:failed"},{name:"Waiting too long",q:"state:waiting age>15m"},{name:"Maintenance",q:"maint:yes"}];function ja(){
let e=Q.value.get("q")??"",n=Q.value.get("sort")??"name",o=Ia(e,n),r=N("/corten/v1/fleet",{every:1e4}),s=N("/corten/v1/work",{every:2e3});L(()=>{let l=(s.data.value?.
operations??[]).filter(c=>c.progress?.bytes!=null&&c.progress.total!=null);pr.value=new Map(l.map(c=>[c.node,Re(c.progress?.bytes??0,c.progress?.total??0)]))},[
s.data.value]);let a=r.data.value?.total;nu(e);let i=tr(o.error);return t("div",{class:"nodes",children:[t("div",{class:"nodes-head",children:[t("h1",{class:"hi\
dden",children:"Nodes"}),t(zn,{q:e,onQuery:l=>U({q:l}),error:o.error}),t("div",{class:"nodes-tools",children:[t(ru,{q:e,sort:n,counts:r.data.value}),t("span",{class:"\
nodes-count",role:"status",children:o.total!==void 0&&(e===""?pe(o.total,"node"):`${q(o.total)} of ${a===void 0?"\u2026":q(a)}`)}),t(su,{q:e,sort:n})]})]}),o.error!==
void 0&&o.total===void 0&&i===null?t(ke,{error:o.error}):o.total===void 0?i===null&&t(Me,{lines:12}):o.total===0?t(j,{title:e===""?"No machines yet":"No node ma\
tches",children:e===""?t("a",{class:"button button-main",href:E(["enrol"]),children:"Enrol machines"}):t(b,{onClick:()=>U({q:null}),children:"Clear the filter"})}):
t(au,{rows:o,q:e,sort:n}),t(qa,{q:e,total:o.total??0,selectAll:()=>{ou(e)}})]})}function nu(e){let n=Y(e);L(()=>{if(n.current===e)return;n.current=e;let o=[...Pe.
value];if(o.length===0||e==="")return;(async()=>{let s=new Map;for(let a=0;a<o.length;a+=20){let i=o.slice(a,a+20),l=await te(`/corten/v1/nodes?fields=uuid&limi\
t=20&q=${S(`${e} uuid:${i.map(([d])=>d).join(",")}`)}`),c=new Set(l.nodes.map(d=>d.uuid));for(let[d,u]of i)c.has(d)&&s.set(d,u)}s.size<o.length&&(Pe.value=s,W(`${pe(
o.length-s.size,"node")} left the selection: the filter hides them.`))})().catch(()=>Pe.value=new Map)},[e])}async function ou(e){try{let n=new Map;for(let o=0;;o+=
1e3){let r=await te(`/corten/v1/nodes?fields=uuid,name&limit=1000&offset=${o}&q=${S(e)}`);for(let s of r.nodes)n.set(s.uuid,s.name??s.uuid);if(r.nodes.length===
0||n.size>=r.total||n.size>=1e4)break}Pe.value=n,W(`${pe(n.size,"node")} selected.`)}catch(n){J("The nodes could not be selected",n)}}function ru({q:e,sort:n,counts:o}){
let r=[...tu,...rt.value],s=r.some(a=>a.q===e);return t("div",{class:"views",role:"group","aria-label":"Views",children:[r.map(a=>t("a",{class:"view",href:E(["n\
odes"],{q:a.q,sort:a.sort}),"aria-current":a.q===e?"true":void 0,children:[a.name,a.q==="state:failed"&&o!==void 0&&o.looks.failed>0&&t("span",{class:"count cou\
nt-failed",children:q(o.looks.failed)}),a.q==="maint:yes"&&o!==void 0&&o.maintenance>0&&t("span",{class:"count",children:q(o.maintenance)})]},a.name)),!s&&e!==""&&
t(b,{small:!0,kind:"quiet",onClick:()=>{let a=e.length>24?e.slice(0,23)+"\u2026":e;rt.value=[...rt.value,n==="name"?{name:a,q:e}:{name:a,q:e,sort:n}],W("The vie\
w is saved in this browser.")},children:[t(M,{name:"plus"})," Save view"]}),rt.value.some(a=>a.q===e)&&t(b,{small:!0,kind:"quiet",onClick:()=>rt.value=rt.value.
filter(a=>a.q!==e),children:"Forget view"})]})}function su({q:e,sort:n}){let o=s=>{let a=Tt.value.includes(s);Tt.value=a?Tt.value.filter(i=>i!==s):Zn.map(i=>i.key).
filter(i=>i===s||Tt.value.includes(i))},r=e===""?"":` --where ${re(e)}`;return t("div",{class:"tools",children:[t("span",{class:"wide-only",children:t(Qe,{right:!0,
kind:"quiet",label:"Columns",choices:Zn.filter(s=>s.key!=="name").map(s=>({label:s.label,checked:Tt.value.includes(s.key),onPick:()=>o(s.key)}))})}),t(b,{small:!0,
kind:"quiet",onClick:()=>{la(e,n)},children:[t(M,{name:"download"})," CSV"]}),t(b,{small:!0,kind:"quiet",onClick:()=>{navigator.clipboard?.writeText(location.href).
then(()=>W("The link is copied."))},children:[t(M,{name:"link"})," Link"]}),t(ie,{commands:{corten:`corten node list${r}`,curl:X("GET",`/corten/v1/nodes?q=${S(e)}\
&sort=${S(n)}`)}}),t("a",{class:"button button-small",href:E(["enrol"]),children:[t(M,{name:"plus"})," Enrol"]})]})}function au({rows:e,q:n,sort:o}){let r=Y(null),
[s,a]=g(0),[i,l]=g({height:600,narrow:!1}),[c,d]=g(0),u=Y(0),p=k=>{u.current=k,d(k)},f=e.total??0,m=i.narrow?eu:Fa,h=La(s,i.height,m,f),_=Zn.filter(k=>k.key==="\
name"||Tt.value.includes(k.key)),$=`36px ${_.map(k=>k.width).join(" ")}`;Ke(()=>{let k=r.current;if(k===null)return;let R=()=>l({height:k.clientHeight,narrow:k.
clientWidth<700});R();let C=new ResizeObserver(R);return C.observe(k),()=>C.disconnect()},[]),L(()=>e.see(h),[h.first,h.end,n,o,e.version]),L(()=>{p(0),r.current?.
scrollTo(0,0)},[n,o]);let T=(k,R)=>{let C=Math.max(0,Math.min(f-1,u.current+k));R&&(y(u.current,!0),y(C,!0)),p(C);let H=Da(C,r.current?.scrollTop??0,i.height-Fa,
m);H!==null&&r.current?.scrollTo(0,H),r.current?.focus({preventScroll:!0})},y=(k,R)=>{let C=e.at(k);if(C===void 0)return;let H=new Map(Pe.value);R??!H.has(C.uuid)?
H.set(C.uuid,C.name??C.uuid):H.delete(C.uuid),Pe.value=H},v=()=>{let k=e.at(u.current);k!==void 0&&Z(E(["nodes",k.name??k.uuid]))};Be([{keys:"/",about:"filter",
run:()=>document.getElementById("query")?.focus()},{keys:"j",about:"next node",run:()=>T(1,!1)},{keys:"k",about:"node before",run:()=>T(-1,!1)},{keys:"ArrowDown",
about:"next node",run:()=>T(1,!1)},{keys:"ArrowUp",about:"node before",run:()=>T(-1,!1)},{keys:"J",about:"select and go down",run:()=>T(1,!0)},{keys:"K",about:"\
select and go up",run:()=>T(-1,!0)},{keys:"PageDown",about:"a page down",run:()=>T(Math.floor(i.height/m),!1)},{keys:"PageUp",about:"a page up",run:()=>T(-Math.
floor(i.height/m),!1)},{keys:"Home",about:"first node",run:()=>T(-f,!1)},{keys:"End",about:"last node",run:()=>T(f,!1)},{keys:"x",about:"select this node",run:()=>y(
u.current)},{keys:"Enter",about:"open this node",run:k=>k.target instanceof HTMLAnchorElement||k.target instanceof HTMLButtonElement?k.target.click():v()},{keys:"\
Escape",about:"clear the selection",run:()=>Pe.value=new Map}]);let w=k=>o===k.sort?"ascending":o===`-${k.sort}`?"descending":"none",P=[];for(let k=h.first;k<h.
end;k+=1)P.push(k);return t("div",{class:`grid${i.narrow?" grid-narrow":""}`,id:"nodes",ref:r,tabIndex:0,role:"grid","aria-label":"Nodes","aria-rowcount":f+1,"a\
ria-multiselectable":"true","aria-activedescendant":c>=h.first&&c<h.end?`node-${c}`:void 0,onScroll:k=>a(k.currentTarget.scrollTop),children:[t("div",{class:"gr\
id-head",role:"row","aria-rowindex":1,style:{gridTemplateColumns:$},children:[t("span",{role:"columnheader",class:"hidden-text",children:"select"}),_.map(k=>t("\
span",{role:"columnheader","aria-sort":k.sort===void 0?void 0:w(k),children:k.sort===void 0?k.label:t("button",{type:"button",class:"sort",tabIndex:-1,onClick:()=>U(
{sort:o===k.sort?`-${k.sort}`:k.sort==="name"?null:k.sort??null}),children:[k.label,w(k)!=="none"&&t(M,{name:w(k)==="ascending"?"up":"down"})]})},k.key))]}),t("\
div",{class:"grid-body",role:"rowgroup",style:{height:`${f*m}px`},children:P.map(k=>t(iu,{index:k,row:e.at(k),shown:_,template:$,top:k*m,height:m,active:k===c,narrow:i.
narrow,onMark:()=>y(k),onClick:()=>p(k)},k))})]})}function iu({index:e,row:n,shown:o,template:r,top:s,height:a,active:i,narrow:l,onMark:c,onClick:d}){let u=n!==
void 0&&Pe.value.has(n.uuid),p=l?{top:`${s}px`,height:`${a}px`}:{top:`${s}px`,height:`${a}px`,gridTemplateColumns:r};return t("div",{class:`grid-row${i?" grid-a\
ctive":""}${u?" grid-chosen":""}`,role:"row",id:`node-${e}`,"aria-rowindex":e+2,"aria-selected":u,style:p,onClick:d,children:[t("span",{role:"gridcell",class:"g\
rid-check",children:n!==void 0&&t("label",{class:"check",children:t("input",{type:"checkbox",tabIndex:-1,checked:u,onChange:c,"aria-label":`Select ${n.name??n.uuid}`})})}),
n===void 0?t("span",{role:"gridcell",class:"grid-loading"}):o.map(f=>t("span",{role:"gridcell",class:`cell cell-${f.key}`,children:f.cell(n)},f.key))]})}var je={templates:"/v1/deploy_templates",runbooks:"/v1/runbooks",rules:"/v1/inspection_rules"},Ee={templates:"deploy template",runbooks:"runbook",rules:"inspect\
ion rule"},Wa=0;function Jt(e="",n={}){return Wa+=1,{key:Wa,what:e,not:!1,args:[],rank:"",loop:"",multiple:"any",...n}}function eo(e){return{name:"",description:"",
owner:"",public:!1,disableRamdisk:!1,traits:"",priority:"0",sensitive:!1,steps:e==="rules"?[]:[Jt("",{rank:e==="templates"?"50":"1"})],conditions:[],actions:e===
"rules"?[Jt()]:[],extra:"{}",hidden:!1}}function at(e){let n=e.trim();if(!/^([[{"]|-?\d|true$|false$|null$)/.test(n))return e;try{return JSON.parse(n)}catch{return e}}
function Ua(e){return typeof e!="string"?JSON.stringify(e):at(e)===e?e:JSON.stringify(e)}function Va(e){let n=at(e);return n===null?"null":Array.isArray(n)?"lis\
t":{string:"text",number:"number",boolean:"yes or no",object:"object"}[typeof n]??""}function Ha(e,n){return Array.isArray(e)?e.map((o,r)=>({name:n[r]??`${r}`,text:Ua(
o)})):typeof e!="object"||e===null?[]:Object.entries(e).filter(([o])=>o!=="plugin_data").map(([o,r])=>({name:o,text:Ua(r)}))}function Xn(e){return Array.isArray(
e)?e.filter(n=>typeof n=="object"&&n!==null):[]}var At=e=>typeof e=="string"?e:"";function Ga(e,n,o){let r=(i,l)=>{let c=At(i.op),d=c.replace(/^!\s*/,""),u=l.find(
f=>f.op===d),p=u===void 0?[]:[...u.required,...u.optional];return Jt(d,{not:c!==d,args:Ha(i.args,p),loop:i.loop===void 0||i.loop===null?"":JSON.stringify(i.loop),
multiple:At(i.multiple)||"any"})},s=e==="templates"?"priority":"order",a=Xn(n.steps).sort((i,l)=>e==="runbooks"?Number(i.order??0)-Number(l.order??0):0);return{
...eo(e),name:At(n.name),description:At(n.description),owner:At(n.owner),public:n.public===!0,disableRamdisk:n.disable_ramdisk===!0,traits:Array.isArray(n.traits)?
n.traits.join(" "):"",priority:String(n.priority??0),sensitive:n.sensitive===!0,steps:a.map(i=>Jt(`${At(i.interface)}.${At(i.step)}`,{args:Ha(i.args,[]),rank:String(
i[s]??0)})),conditions:Xn(n.conditions).map(i=>r(i,o?.conditions??[])),actions:Xn(n.actions).map(i=>r(i,o?.actions??[])),extra:JSON.stringify(n.extra??{}),hidden:n.
sensitive===!0&&Xn(n.actions).length===0}}function Ka(e){return Object.fromEntries(e.filter(n=>n.name!==""&&n.text!=="").map(n=>[n.name,at(n.text)]))}function Ja(e){
return/^-?\d+$/.test(e.trim())?Number(e):e}function kn(e,n){let o=a=>a.trim()===""?null:a;if(e==="rules"){let a=(i,l)=>({op:i.not?`!${i.what}`:i.what,args:Ka(i.
args),...i.loop.trim()===""?{}:{loop:at(i.loop),...l?{multiple:i.multiple}:{}}});return{description:o(n.description),priority:Ja(n.priority),sensitive:n.sensitive,
...n.hidden?{}:{conditions:n.conditions.map(i=>a(i,!0)),actions:n.actions.map(i=>a(i,!1))}}}let r=n.steps.map(a=>{let i=a.what.indexOf("."),[l,c]=i<0?["",a.what]:
[a.what.slice(0,i),a.what.slice(i+1)];return{interface:l,step:c,args:Ka(a.args),[e==="templates"?"priority":"order"]:Ja(a.rank)}}),s={name:n.name.trim(),steps:r,
extra:at(n.extra)};return e==="templates"?s:{...s,description:o(n.description),owner:o(n.owner),public:n.public,disable_ramdisk:n.disableRamdisk}}function fr(e){
return[...new Set(e.traits.split(/[\s,]+/).filter(n=>n!==""))]}function za(e,n){return Object.keys(n).filter(o=>JSON.stringify(e[o]??null)!==JSON.stringify(n[o]??
null)).map(o=>n[o]===null?{op:"remove",path:`/${o}`}:{op:e[o]==null?"add":"replace",path:`/${o}`,value:n[o]})}function Ya(e,n){let o=u=>u===null?[]:JSON.stringify(
u,null,2).split(`
`),[r,s]=[o(e),o(n)];if(r.length*s.length>1e6)return[...r.map(u=>({sign:"-",text:u})),...s.map(u=>({sign:"+",text:u}))];let a=Array.from({length:r.length+1},()=>new Array(
s.length+1).fill(0)),i=(u,p)=>a[u]?.[p]??0;for(let u=r.length-1;u>=0;u-=1)for(let p=s.length-1;p>=0;p-=1){let f=a[u];f!==void 0&&(f[p]=r[u]===s[p]?i(u+1,p+1)+1:
Math.max(i(u+1,p),i(u,p+1)))}let l=[],[c,d]=[0,0];for(;c<r.length||d<s.length;)c<r.length&&d<s.length&&r[c]===s[d]?(l.push({sign:" ",text:r[c]??""}),c+=1,d+=1):
c<r.length&&(d>=s.length||i(c+1,d)>=i(c,d+1))?(l.push({sign:"-",text:r[c]??""}),c+=1):(l.push({sign:"+",text:s[d]??""}),d+=1);return l}var lu={string:"text",integer:"whole number",number:"number",boolean:"yes or no",array:"list",object:"object",null:"nothing"};function cu(e){return e===null?"nu\
ll":Array.isArray(e)?"array":typeof e=="number"?Number.isInteger(e)?"integer":"number":typeof e}function to(e,n,o=""){let r=[],s=(c,d=!1)=>r.push({at:o,text:c,...d?
{empty:d}:{}}),a=c=>o===""?`${c}`:`${o}/${c}`,i=cu(e),l=n.type===void 0?[]:[n.type].flat();if(l.length>0&&!l.includes(i)&&!(i==="integer"&&l.includes("number")))
return s(e===""?"This is missing.":`This has to be a ${l.map(c=>lu[c]??c).join(" or ")}.`,e===""),r;if(n.enum!==void 0&&!n.enum.includes(e)&&s(e===""?"This is m\
issing.":`"${String(e)}" is not one of ${n.enum.join(", ")}.`,e===""),typeof e=="string"&&(e.length<(n.minLength??0)?s("This is missing.",!0):e.length>(n.maxLength??
1/0)?s(`This has at most ${n.maxLength} characters.`):n.pattern!==void 0&&!uu(n.pattern,e)&&s(`"${e}" does not fit ${n.pattern}.`)),typeof e=="number"&&(e<(n.minimum??
-1/0)&&s(`This is ${n.minimum} at least.`),e>(n.maximum??1/0)&&s(`This is ${n.maximum} at most.`)),Array.isArray(e)){e.length<(n.minItems??0)&&s(`At least ${n.minItems===
1?"one is":`${n.minItems} are`} needed.`,!0);let c=n.items;c!==void 0&&e.forEach((d,u)=>r.push(...to(d,c,a(u))))}else if(typeof e=="object"&&e!==null){let c=e;for(let d of n.
required??[])d in c||r.push({at:a(d),text:"This is missing.",empty:!0});for(let[d,u]of Object.entries(c)){let p=n.properties?.[d];p!==void 0?r.push(...to(u,p,a(
d))):n.additionalProperties===!1&&r.push({at:a(d),text:"The service does not know this."})}}if(n.anyOf!==void 0&&r.length===0){let c=n.anyOf.map(u=>to(e,u,o)),d=c[0];
d!==void 0&&c.every(u=>u.length>0)&&r.push(...d)}return r}function uu(e,n){try{return new RegExp(e,"u").test(n)}catch{return!0}}function Za(e,n,o,r){let s=kn(e,
n),a=o===void 0?[]:to(s,n.hidden?{...o,required:[]}:o);(at(n.extra)===null||typeof at(n.extra)!="object")&&a.push({at:"extra",text:"This has to be a JSON object\
."});let i=new Map;n.steps.forEach((l,c)=>{l.what!==""&&i.has(l.what)?a.push({at:`steps/${c}`,text:`Step ${(i.get(l.what)??0)+1} is the same; a step can be ther\
e once.`}):i.set(l.what,c)});for(let l of["conditions","actions"]){let c=r?.[l];c===void 0||n.hidden||n[l].forEach((d,u)=>{let p=c.find(f=>f.op===d.what);for(let f of p?.
required??[])d.args.some(m=>m.name===f&&m.text!=="")||a.push({at:`${l}/${u}/args/${f}`,text:`${d.what} needs ${f}.`,empty:!0});d.loop.trim()!==""&&typeof at(d.loop)==
"string"&&a.push({at:`${l}/${u}/loop`,text:"A loop is a JSON list or object."})})}return a}function Xa(e,n,o){let r=/interface: (\S+), step: ([^;.]+)/.exec(e);if(r!==
null){let l=`${r[1]}.${r[2]?.trim()}`,c=o.steps.findLastIndex(d=>d.what===l);if(c>=0)return`steps/${c}`}let s=[...(e.split(" is not one of ")[0]??"").matchAll(/'([^']*)'/g)].
map(l=>l[1]??"");if(o.name!==""&&(s.includes(o.name)||new RegExp(`\\bname ${Qa(o.name)}\\b`).test(e)))return"name";for(let l of["steps","conditions","actions"]){
let c=o[l].findIndex(d=>{let[u="",p=""]=d.what.split(".");return d.what!==""&&(s.includes(d.what)||s.includes(`!${d.what}`)||s.includes(u)||p!==""&&s.includes(p))});
if(c>=0)return`${l}/${c}`}let a=o.steps.findIndex(l=>l.rank!==""&&new RegExp(`(^|[^\\w-])'?${Qa(l.rank)}'? is `).test(e));if(a>=0)return`steps/${a}`;let i=/argument\(s\): ([\w-]+)/.
exec(e)?.[1];if(i!==void 0){let l=e.includes("unexpected");for(let c of["conditions","actions"]){let d=o[c].findIndex(u=>u.args.some(p=>p.name===i&&p.text!=="")===
l);if(d>=0)return`${c}/${d}`}}return/priority/i.test(e)?n==="rules"?"priority":"steps":/\btraits?\b/i.test(e)&&n==="runbooks"?"traits":/\bowner\b|\bpublic\b/i.test(
e)&&n==="runbooks"?"owner":""}function Qa(e){return e.replaceAll(/[\\^$.*+?()[\]{}|]/g,"\\$&")}function be(e,n){let o=e.filter(r=>r.at===n).map(r=>r.text);return o.
length===0?null:o.join(" ")}function ei(e,n){return e.filter(o=>o.at.startsWith(`${n}/`))}var ti={name:"--name",steps:"--steps",description:"--description",owner:"--owner",public:"--public",disable_ramdisk:"--disable-ramdisk",priority:"--priority",sensitive:"\
--sensitive",conditions:"--conditions",actions:"--actions"};function ni(e,n,o,r){return o==null?"":n==="extra"?Object.entries(o).map(([s,a])=>` --extra ${re(`${s}\
=${typeof a=="string"?a:JSON.stringify(a)}`)}`).join(""):n==="name"&&e==="templates"&&r?` ${re(String(o))}`:n==="disable_ramdisk"&&r?o===!0?" --disable-ramdisk":
"":r&&o===!1?"":` ${ti[n]??`--${n}`} ${re(typeof o=="string"?o:JSON.stringify(o))}`}function oi(e,n,o){let r=Object.entries(n).map(([a,i])=>ni(e,a,i,!0)).join(""),
s=o.length===0?"":` && corten runbook trait add ${re(String(n.name))} ${o.map(re).join(" ")}`;return{corten:`corten ${Ee[e]} create${r}${s}`,curl:X("POST",je[e],
n)}}function ri(e,n,o){let r=o.filter(i=>i.op!=="remove").map(i=>ni(e,i.path.slice(1),i.value,!1)).join(""),s=o.filter(i=>i.op==="remove").map(i=>` ${ti[i.path.
slice(1)]??""}`).join("");return{corten:[r===""?"":`corten ${Ee[e]} set ${n}${r}`,s===""?"":`corten ${Ee[e]} unset ${n}${s}`].filter(i=>i!=="").join(" && ")||`c\
orten ${Ee[e]} show ${n}`,curl:X("PATCH",`${je[e]}/${n}`,o)}}var du=60;function pu(e,n){let o=n.toLowerCase().split(/\s+/).filter(a=>a!==""),r=e.filter(a=>{let i=`${a.value} ${a.about??""}`.toLowerCase();return o.every(l=>i.
includes(l))}),s=a=>a.value.toLowerCase().startsWith(n.toLowerCase())?0:1;return r.sort((a,i)=>s(a)-s(i)).slice(0,du)}function _n(e){let n=Xe(),[o,r]=g(!1),[s,a]=g(
-1),i=Y(null),l=e.offers.some(p=>p.value===e.value),c=o?pu(e.offers,l?"":e.value):[],d=p=>{r(!0),a(p),requestAnimationFrame(()=>i.current?.querySelector('[aria-\
selected="true"]')?.scrollIntoView({block:"nearest"}))},u=p=>{let f=c[p];f!==void 0&&(r(!1),a(-1),e.onValue(f.value),e.onPick?.(f.value))};return t("span",{class:"\
combo",children:[t("input",{id:e.id,class:`input${e.code===!0?" input-code":""}`,role:"combobox","aria-label":e.label,"aria-describedby":e.described,"aria-expan\
ded":c.length>0,"aria-controls":`${n}-list`,"aria-autocomplete":"list","aria-activedescendant":s>=0&&c[s]!==void 0?`${n}-${s}`:void 0,"aria-invalid":e.wrong===!0,
autocomplete:"off",autofocus:e.autofocus,spellcheck:!1,placeholder:e.placeholder,value:e.value,onInput:p=>{let f=p.currentTarget.value;r(!e.offers.some(m=>m.value===
f)),a(-1),e.onValue(f)},onClick:()=>r(!0),onBlur:()=>{r(!1),a(-1),l&&e.onPick?.(e.value)},onKeyDown:p=>{if(!(p.altKey||p.ctrlKey||p.metaKey)){if(p.key==="ArrowD\
own")d(o?Math.min(s+1,c.length-1):0);else if(p.key==="ArrowUp")d(Math.max(s-1,-1));else if(p.key==="Enter"&&s>=0)u(s);else if(p.key==="Escape"&&o&&c.length>0)r(
!1),a(-1);else return;p.preventDefault(),p.stopPropagation()}}}),t("ul",{class:"offers",id:`${n}-list`,role:"listbox","aria-label":`Known: ${e.label??"values"}`,
hidden:c.length===0,ref:i,children:c.map((p,f)=>t("li",{id:`${n}-${f}`,role:"option","aria-selected":f===s,class:"offer",onPointerDown:m=>{m.preventDefault(),u(
f)},children:[t("span",{class:"offer-value",children:p.value}),p.about!==void 0&&t("span",{class:"faint",children:p.about})]},p.value))})]})}function fu(e,n,o){if(o<0||o>=e.length)return e;let r=[...e],[s]=r.splice(n,1);return s!==void 0&&r.splice(o,0,s),r}function no(e){let{part:n,lines:o,onLines:r}=e,
s=(c,d)=>r(o.map((u,p)=>p===c?{...u,...d}:u)),a=(c,d)=>{let u=fu(o,c,d);r(n==="steps"&&e.rank?.label==="Order"?u.map((p,f)=>({...p,rank:`${f+1}`})):u),requestAnimationFrame(
()=>document.getElementById(`${n}-${o[c]?.key}`)?.focus())},i=()=>{let c=o.at(-1),d=e.rank===void 0?"":e.rank.label==="Order"?`${Number(c?.rank??0)+1}`:c?.rank??
"50",u=Jt("",{rank:d});r([...o,u]),requestAnimationFrame(()=>document.getElementById(`${n}-${u.key}`)?.focus())},l=be(e.wrong,n);return t("fieldset",{class:"lin\
es",children:[t("legend",{children:e.title}),t("p",{class:"faint",children:e.hint}),l!==null&&t("p",{class:"wrong",role:"alert",children:l}),o.length===0&&t("p",
{class:"faint",children:e.none}),t("ol",{class:"lines-list",children:o.map((c,d)=>t("li",{class:`line${be(e.wrong,`${n}/${d}`)===null?"":" line-wrong"}`,onKeyDown:u=>{
!u.altKey||u.key!=="ArrowUp"&&u.key!=="ArrowDown"||(u.preventDefault(),a(d,d+(u.key==="ArrowUp"?-1:1)))},children:t(mu,{...e,index:d,value:c,onChange:u=>s(d,u),
onRemove:()=>r(o.filter((u,p)=>p!==d)),onMove:u=>a(d,d+u),last:d===o.length-1})},c.key))}),t(b,{small:!0,onClick:i,children:[t(M,{name:"plus"})," Add ",e.one]})]})}
function mu(e){let{value:n,index:o,part:r,wrong:s,onChange:a}=e,i=`${r}/${o}`,l=`${e.one[0]?.toUpperCase()}${e.one.slice(1)} ${o+1}`,c=e.argsOf(n.what),d=e.aboutOf(
n.what),u=[be(s,i),be(s,`${i}/step`)??be(s,`${i}/interface`)??be(s,`${i}/op`)].filter(f=>f!==null).join(" "),p=f=>{let m=e.argsOf(f)??[],h=n.args.filter($=>$.text!==
""),_=m.filter($=>$.required&&!h.some(T=>T.name===$.name)).map($=>({name:$.name,text:""}));a({what:f,args:[...h,..._]})};return t(x,{children:[t("div",{class:"l\
ine-head",children:[t("span",{class:"line-number","aria-hidden":"true",children:o+1}),e.inverts===!0&&t("label",{class:"check-line line-not",children:[t("input",
{type:"checkbox",checked:n.not,onChange:f=>a({not:f.currentTarget.checked}),"aria-label":`${l}: the opposite`})," not"]}),t(_n,{id:`${r}-${n.key}`,label:l,described:`${r}\
-${n.key}-about`,code:!0,value:n.what,offers:e.offers,wrong:u!=="",placeholder:r==="steps"?"interface.step":"operator",onValue:f=>a({what:f}),onPick:p}),e.rank!==
void 0&&t("label",{class:"line-rank",children:[t("span",{children:e.rank.label}),t("input",{class:"input input-number",inputMode:"numeric","aria-label":`${l}: ${e.
rank.label.toLowerCase()}`,value:n.rank,onInput:f=>a({rank:f.currentTarget.value.trim()})})]}),t("span",{class:"line-buttons",children:[t(b,{small:!0,kind:"quie\
t",label:`Move ${e.one} ${o+1} up`,why:o===0?"it is the first":null,onClick:()=>e.onMove(-1),children:t(M,{name:"up"})}),t(b,{small:!0,kind:"quiet",label:`Move ${e.
one} ${o+1} down`,why:e.last?"it is the last":null,onClick:()=>e.onMove(1),children:t(M,{name:"down"})}),t(b,{small:!0,kind:"quiet",label:`Remove ${e.one} ${o+1}`,
onClick:e.onRemove,children:t(M,{name:"close"})})]})]}),t("p",{class:"line-about",id:`${r}-${n.key}-about`,children:u!==""?t("span",{class:"wrong",role:"alert",
children:u}):n.what!==""&&c===null?t("span",{class:"warned",children:[t(M,{name:"warn"})," Nothing here offers this. An agent with hardware managers of its own \
may."]}):t("span",{class:"faint",children:d})}),t(hu,{part:r,index:o,args:n.args,known:c??[],wrong:s,values:f=>e.values(n.what,f),onArgs:f=>a({args:f})}),e.loops===
!0&&(n.loop!==""||be(s,`${i}/loop`)!==null?t("div",{class:"line-loop",children:[t(B,{label:`Loop of ${e.one} ${o+1}`,error:be(s,`${i}/loop`),hint:"A JSON list; \
{item} in an argument is each of its values.",children:f=>t("input",{id:f,class:"input input-code",value:n.loop,spellcheck:!1,onInput:m=>a({loop:m.currentTarget.
value})})}),r==="conditions"&&t(B,{label:"Holds if",children:f=>t("select",{id:f,class:"select",value:n.multiple,onChange:m=>a({multiple:m.currentTarget.value}),
children:[t("option",{value:"any",children:"it holds for any value"}),t("option",{value:"all",children:"it holds for all values"}),t("option",{value:"first",children:"\
it holds for the first"}),t("option",{value:"last",children:"it holds for the last"})]})})]}):t(b,{small:!0,kind:"quiet",onClick:()=>a({loop:"[]"}),children:"Lo\
op over values"}))]})}function hu({part:e,index:n,args:o,known:r,wrong:s,values:a,onArgs:i}){let l=`${e}/${n}/args`,c=(f,m)=>i(o.map((h,_)=>_===f?{...h,...m}:h)),
d=r.filter(f=>!o.some(m=>m.name===f.name)),u=ei(s,l).filter(f=>!o.some(m=>f.at===`${l}/${m.name}`)),p=(f,m)=>`Argument ${f===""?m+1:f} of ${e.slice(0,-1)} ${n+1}`;
return t("div",{class:"args",children:[o.map((f,m)=>{let h=r.find(T=>T.name===f.name),_=be(s,`${l}/${f.name}`),$=`${e}-${n}-arg-${m}`;return t("div",{class:"arg",
children:[h===void 0?t("input",{class:"input input-code arg-name","aria-label":`Name of argument ${m+1} of ${e.slice(0,-1)} ${n+1}`,placeholder:"name",spellcheck:!1,
value:f.name,onInput:T=>c(m,{name:T.currentTarget.value.trim()})}):t("span",{class:"arg-name arg-known",children:[f.name,h.required&&t("abbr",{title:"needed",children:"\
*"})]}),t(_n,{code:!0,label:p(f.name,m),described:$,value:f.text,offers:a(f.name),wrong:_!==null,placeholder:"text or JSON",onValue:T=>c(m,{text:T})}),t(b,{small:!0,
kind:"quiet",label:`Remove ${p(f.name,m).toLowerCase()}`,onClick:()=>i(o.filter((T,y)=>y!==m)),children:t(M,{name:"close"})}),t("span",{class:"arg-about",id:$,children:_!==
null?t("span",{class:"wrong",role:"alert",children:_}):t("span",{class:"faint",children:[f.text===""?"":`${Va(f.text)}. `,h?.description??""]})})]},m)}),u.map(f=>t(
"p",{class:"wrong",role:"alert",children:f.text},f.at)),t("p",{class:"row args-more",children:[d.slice(0,8).map(f=>t(b,{small:!0,kind:"quiet",label:`Set ${f.name}\
 of ${e.slice(0,-1)} ${n+1}`,onClick:()=>i([...o,{name:f.name,text:""}]),children:[t(M,{name:"plus"})," ",f.name]},f.name)),e==="steps"&&t(b,{small:!0,kind:"qui\
et",label:`Add an argument to step ${n+1}`,onClick:()=>i([...o,{name:"",text:""}]),children:[t(M,{name:"plus"})," argument"]})]})]})}function si(e){let n=new Map;
for(let o of e){let r=`${o.interface}.${o.step}`;n.set(r,[...n.get(r)??[],o])}return[...n].sort(([o],[r])=>o.localeCompare(r)).map(([o,r])=>({value:o,about:mr(r)}))}
function mr(e){let n=[...new Set(e.map(r=>r.kind))].join(", "),o=[...new Set(e.map(r=>r.implementation))].join(", ");return`${n}; of ${o}`}function ai(e,n){let o=e.
filter(s=>`${s.interface}.${s.step}`===n);if(o.length===0)return null;let r=new Map;for(let s of o)for(let a of s.args)r.has(a.name)||r.set(a.name,a);return[...r.
values()]}var gu={value:"May hold {inventory[\u2026]}, {plugin_data[\u2026]} and {node.\u2026}.",values:'A JSON list, such as ["{inventory[cpu][count]}", 4].',regex:"\
A regular expression.",path:"Such as properties/cpu_arch.",force_strings:"true: values are compared as texts.",unique:"true: what is there already is not added \
again.",subnet:"Such as 10.0.0.0/8.",address:"Such as {inventory[bmc_address]}.",level:"debug, info, warning, error or critical.",msg:"What is said.",port_id:"T\
he UUID of a port."};function ii(e,n){let o=e.find(s=>s.op===n);if(o===void 0)return n===""||e.length===0?[]:null;let r=s=>a=>({name:a,description:gu[a]??"",required:s});
return[...o.required.map(r(!0)),...o.optional.map(r(!1))]}var li="corten.trial.node",ci="/corten/v1/inspection_rules/try";function hr(e,n,o=[]){if(o.length>=400)return o;if(typeof e=="object"&&e!==null)for(let[r,s]of Object.
entries(e))hr(s,`${n}[${r}]`,o);else{let r=String(e);o.push({value:`{${n}}`,about:r.length>60?`${r.slice(0,60)}\u2026`:r})}return o}function oo(){let[e,n]=g(localStorage.
getItem(li)??""),[o,r]=g([]),[s,a]=g(null);return L(()=>{if(r([]),a(null),e==="")return;let i=new AbortController,l=window.setTimeout(()=>{te(`/v1/nodes/${S(e)}\
/inventory`,i.signal).then(c=>{localStorage.setItem(li,e),r([...hr(c.inventory,"inventory"),...hr(c.plugin_data,"plugin_data")])},c=>{i.signal.aborted||a(_e(c).
message)})},300);return()=>{window.clearTimeout(l),i.abort()}},[e]),{node:e,setNode:n,found:o,wrong:s}}function bu(e){let[n,o]=g([]);return L(()=>{let r=new AbortController,
s=window.setTimeout(()=>{let a=e===""?"":`&q=${S(/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e)}`;te(`/corten/v1/nodes?limit=20${a}`,r.signal).then(i=>o(i.nodes.
map(l=>({value:l.name??l.uuid,about:l.provision_state}))),()=>{})},150);return()=>{window.clearTimeout(s),r.abort()}},[e]),n}function ro({rule:e,why:n,trial:o}){
let{node:r,setNode:s,wrong:a}=o,[i,l]=g(e===null),[c,d]=g(null),[u,p]=g(null),[f,m]=g(!1),h=bu(r),_={node:r,...i||e===null?{}:{rule:e}},$=oe(le.value,"corten:in\
spection_rule:try")??(r===""?"choose a machine first":i?null:n),T=async()=>{m(!0),p(null);try{d(await F("POST",ci,_))}catch(v){d(null),p(_e(v))}m(!1)},y=`corten\
 inspection rule try ${re(r===""?"NODE":r)}${i||e===null?"":` --rule ${re(JSON.stringify(e))}`}`;return t("section",{class:"panel trial-panel","aria-labelledby":"\
trial-title",children:[t("header",{class:"panel-head",children:[t("h2",{id:"trial-title",class:"panel-title",children:"Try it"}),t("div",{class:"panel-actions",
children:t(ie,{commands:{corten:y,curl:X("POST",ci,_)}})})]}),t("div",{class:"panel-body",children:[t("p",{class:"faint",children:"On what the last inspection o\
f a machine found. Nothing is written and nobody is called; secrets are masked."}),t("form",{class:"trial-form",onSubmit:v=>{v.preventDefault(),$===null&&T()},children:[
t(B,{label:"Machine",error:a,children:(v,w)=>t(_n,{id:v,described:w,value:r,offers:h,onValue:P=>s(P.trim()),placeholder:"name or UUID"})}),e!==null&&t("label",{
class:"check-line",children:[t("input",{type:"checkbox",checked:i,onChange:v=>l(v.currentTarget.checked)})," the stored rules instead, all of them"]}),t(b,{type:"\
submit",kind:"main",busy:f,why:$,children:"Try"})]}),t("div",{"aria-live":"polite",children:[u!==null&&t(ke,{error:u}),c!==null&&t(vu,{report:c})]})]})]})}function vu({
report:e}){return t("div",{class:"outcome",children:[e.rules.length===0&&t("p",{children:"There are no rules."}),e.rules.map((n,o)=>t(yu,{rule:n},n.uuid??o)),e.
error!==null&&t("p",{class:"wrong",role:"alert",children:[t(K,{look:"failed"})," The inspection would fail: ",e.error]}),t("h3",{children:"What would be changed"}),
e.changes.length===0?t("p",{class:"faint",children:"Nothing."}):t(wu,{changes:e.changes})]})}function yu({rule:e}){return t("div",{class:"tried",children:[t("p",
{class:e.applies?"good":"",children:[e.applies?t(M,{name:"check"}):t("span",{"aria-hidden":"true",children:"\u25CB"})," ",t("strong",{children:e.description??(e.
uuid===null?"This rule":`Rule ${e.uuid.slice(0,8)}`)})," ",e.applies?"applies":"does not apply",e.sensitive&&t("span",{class:"chip",children:"sensitive: its val\
ues are not shown"})]}),t("ul",{class:"tried-list",children:[e.conditions.map((n,o)=>t("li",{children:[t("span",{class:n.holds===!0?"good":n.holds===null?"wrong":
"warned",children:n.holds===!0?"\u2713 holds":n.holds===!1?"\u2717 does not hold":"! cannot be judged"})," ",t("code",{children:n.op})," ",n.seen.map((r,s)=>t("\
code",{class:"faint",children:Object.entries(r).map(([a,i])=>`${a} ${JSON.stringify(i)}`).join(", ")},s)),n.error!==null&&t("span",{class:"wrong",children:[" ",
n.error]})]},o)),e.actions.map((n,o)=>t("li",{children:[t("span",{class:n.done?"good":"faint",children:n.done?"\u2713 would be done":n.error===null?"\u2013 not reach\
ed":"! fails"})," ",t("code",{children:n.op}),n.effects.map((r,s)=>t("span",{children:[" ",r]},s)),n.error!==null&&t("span",{class:"wrong",children:[" ",n.error]})]},
`a${o}`))]})]})}function wu({changes:e}){return t("div",{class:"scroll-x",role:"region","aria-label":"Changes",tabIndex:0,children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"of"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"before"}),t("th",{
scope:"col",children:"after"})]})}),t("tbody",{children:e.map((n,o)=>t("tr",{children:[t("td",{children:n.subject}),t("th",{scope:"row",children:n.path}),t("td",
{class:"wrap",children:n.before===null?t("span",{class:"faint",children:"nothing"}):t("code",{children:JSON.stringify(n.before)})}),t("td",{class:"wrap",children:n.
after===null?t("span",{class:"faint",children:"removed"}):t("code",{children:JSON.stringify(n.after)})})]},o))})]})})}var ku={templates:"baremetal:deploy_template",runbooks:"baremetal:runbook",rules:"baremetal:inspection_rule"},Vt=(e,n)=>oe(le.value,`${ku[e]}:${n}`),_u=["resour\
ce_class","name","description","owner","conductor_group","driver","shard","automated_clean","maintenance","properties/cpu_arch","properties/capabilities","prope\
rties/root_device","properties/vendor","driver_info/deploy_kernel","driver_info/deploy_ramdisk","extra/rack","bios_interface","boot_interface","deploy_interface",
"management_interface","raid_interface"].map(e=>({value:e})),xu=["debug","info","warning","error","critical"].map(e=>({value:e})),$u=["true","false"].map(e=>({value:e}));
function di({kind:e,id:n}){let o=n==="new",r=o?Q.value.get("from"):n,s=N(r===null?null:`${je[e]}/${S(r)}`),a=N(e==="rules"?null:"/corten/v1/steps"),i=N(e==="rul\
es"?"/corten/v1/inspection_rules/operators":null),l=N("/corten/v1/openapi.json"),c=o?`New ${Ee[e]}`:`Edit ${Ee[e]}`,d=(r===null||s.data.value!==void 0)&&(e!=="r\
ules"||!i.loading.value),u=l.data.value?.paths[je[e]]?.post?.requestBody?.content["application/json"]?.schema;return L(()=>{document.title=`${c} \xB7 Corten`},[
c]),t("div",{class:"stack editor",children:[t("p",{children:t("a",{href:E([e]),children:["\u2039 All ",Ee[e],"s"]})}),t("h1",{children:c}),s.error.value!==void 0&&
s.data.value===void 0?t(ke,{error:s.error.value,retry:s.reload}):d?t(Cu,{kind:e,uuid:o?null:String(s.data.value?.uuid??n),stored:o?null:s.data.value??null,first:s.
data.value===void 0?eo(e):{...Ga(e,s.data.value,i.data.value),...o?{name:""}:{}},schema:u,steps:a.data.value?.steps??[],operators:i.data.value},n):t(Me,{lines:8})]})}
var Su={templates:["deploy"],runbooks:["clean","service"],rules:[]};function Cu({kind:e,uuid:n,first:o,schema:r,steps:s,operators:a}){let[i]=g({body:n===null?null:
kn(e,o),traits:fr(o)}),[l,c]=g(o),[d,u]=g(!1),[p,f]=g(null),[m,h]=g(!1),[_,$]=g(!1),T=oo();Ke(()=>document.querySelector(".editor form .input")?.focus(),[]);let y=z=>{
f(null),c({...l,...z})},v=kn(e,l),w=fr(l),P=i.body===null?[]:za(i.body,v),k=JSON.stringify(w)===JSON.stringify(i.traits),R=Za(e,l,r,a),C=[...R.filter(z=>d||z.empty!==
!0),...p===null?[]:[p]],H=i.body!==null&&P.length===0&&k,A=Vt(e,n===null?"create":"update")??(H?"nothing is changed":null),ee=()=>{u(!0),A!==null?W(`Not now: ${A}\
.`):R.length===0?h(!0):(W(`${R.length===1?"One thing is":`${R.length} things are`} to be put right first.`),requestAnimationFrame(()=>document.querySelector('.e\
ditor [aria-invalid="true"], .editor .field-wrong .input, .editor .line-wrong .input')?.focus()))};Be([{keys:"Ctrl Enter",about:"review what will be sent",run:ee}]);
let ce=async()=>{$(!0);try{let z=n??String((await F("POST",je[e],v))?.uuid);if(n!==null&&P.length>0&&await F("PATCH",`${je[e]}/${S(n)}`,P),e==="runbooks"&&!k)try{
await F("PUT",`${je.runbooks}/${S(z)}/traits`,{traits:w})}catch(Ue){J("The runbook is stored, but its traits were refused",Ue),Z(E([e,z]));return}W(`The ${Ee[e]}\
 is stored.`),Z(E([e]))}catch(z){let Ue=_e(z);h(!1),f({at:Xa(Ue.message,e,l),text:`${Ue.message}${Ue.requestId===null?"":` (request ${Ue.requestId})`}`}),W("The\
 service refused it.")}finally{$(!1)}},D=n===null?oi(e,v,w):ri(e,n,P),ae=be(C,""),de=Je(()=>s.filter(z=>Su[e].includes(z.kind)),[s,e]),xe=t("form",{class:"stack",
onKeyDown:z=>{z.key!=="Enter"||!(z.ctrlKey||z.metaKey)||(z.preventDefault(),ee())},onSubmit:z=>{z.preventDefault(),ee()},children:[ae!==null&&t("p",{class:"wron\
g editor-refusal",role:"alert",children:[t(M,{name:"warn"})," ",ae]}),e==="rules"?t(Mu,{draft:l,wrong:C,edit:y,operators:a,offers:T.found,locked:o.sensitive&&n!==
null}):t(Eu,{kind:e,draft:l,wrong:C,edit:y,steps:de}),t("div",{class:"editor-foot",children:[t(b,{onClick:()=>Z(E([e])),children:"Cancel"}),t("span",{class:"spr\
ing"}),t("span",{class:"faint editor-keys",children:[t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Enter"})]}),t(b,{kind:"main",type:"submit",why:A,children:[
"Review and ",n===null?"create":"save"]})]}),m&&t(Tu,{title:n===null?`Create this ${Ee[e]}?`:`Change this ${Ee[e]}?`,before:ui(i.body,i.traits,e),after:ui(v,w,e),
commands:D,busy:_,action:n===null?"Create":"Save",onClose:()=>h(!1),onYes:()=>{ce()}})]});return t(x,{children:[xe,e==="rules"&&!l.hidden&&t(ro,{rule:v,why:R.length===
0?null:"the rule is not complete",trial:T})]})}function ui(e,n,o){return e===null||o!=="runbooks"?e:{...e,traits:n}}function Tu(e){return t(ue,{wide:!0,title:e.
title,onClose:e.onClose,foot:t(x,{children:[t(b,{onClick:e.onClose,children:"Back"}),t(b,{kind:"main",autofocus:!0,busy:e.busy,onClick:e.onYes,children:e.action})]}),
children:[t("pre",{class:"diff-lines","aria-label":"What will be sent",tabIndex:0,children:Ya(e.before,e.after).map((n,o)=>t("span",{class:n.sign==="+"?"diff-ad\
d":n.sign==="-"?"diff-remove":"",children:[n.sign," ",n.text,`
`]},o))}),t(Ne,{label:"corten",text:e.commands.corten}),t(Ne,{label:"curl",text:e.commands.curl})]})}function Eu({kind:e,draft:n,wrong:o,edit:r,steps:s}){let a=e===
"templates"?"priority":"order",i=o.map(c=>({...c,at:c.at.replace(/^(steps\/\d+)\/(priority|order)$/,"$1"),text:c.at.endsWith(`/${a}`)?`${a}: ${c.text}`:c.text})),
l=c=>{let d=s.filter(u=>`${u.interface}.${u.step}`===c);return d.length===0?null:`${mr(d)}; drivers: ${[...new Set(d.flatMap(u=>u.drivers))].join(", ")}`};return t(
x,{children:[t("section",{class:"panel panel-body form",children:[t(B,{label:"Name",error:be(o,"name"),hint:e==="templates"?"The trait that asks for it, such as\
 CUSTOM_RAID1: it is used for instances that have this trait.":"By which it is asked for, such as burn-in. Nodes are found by its traits.",children:(c,d)=>t("in\
put",{id:c,class:"input","aria-describedby":d,"aria-invalid":be(o,"name")!==null,autocomplete:"off",spellcheck:!1,value:n.name,onInput:u=>r({name:u.currentTarget.
value})})}),e==="runbooks"&&t(x,{children:[t(B,{label:"Description",error:be(o,"description"),hint:"What it is for. Optional.",children:(c,d)=>t("input",{id:c,class:"\
input","aria-describedby":d,value:n.description,onInput:u=>r({description:u.currentTarget.value})})}),t(B,{label:"Traits",error:be(o,"traits"),hint:"It may be u\
sed on nodes that have one of them. Separated by spaces.",children:(c,d)=>t("input",{id:c,class:"input","aria-describedby":d,"aria-invalid":be(o,"traits")!==null,
autocomplete:"off",spellcheck:!1,value:n.traits,onInput:u=>r({traits:u.currentTarget.value})})}),t(B,{label:"Owner",error:be(o,"owner"),hint:"The project it bel\
ongs to; empty for all who may use it.",children:(c,d)=>t("input",{id:c,class:"input","aria-describedby":d,autocomplete:"off",spellcheck:!1,value:n.owner,onInput:u=>r(
{owner:u.currentTarget.value})})}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:n.public,onChange:c=>r({public:c.currentTarget.checked})}),
" Public: other projects may use it"]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:n.disableRamdisk,onChange:c=>r({disableRamdisk:c.
currentTarget.checked})})," Without a ramdisk: only steps that need no agent"]})]})]}),t("section",{class:"panel panel-body",children:t(no,{part:"steps",title:"\
Steps",one:"step",hint:e==="templates"?"Added to deployments by their priority: the highest runs first. Priority 0 takes the step of this name out.":"Run in thi\
s order.",none:"There are no steps.",lines:n.steps,wrong:i,offers:si(s),argsOf:c=>ai(s,c),values:()=>[],aboutOf:l,rank:e==="templates"?{label:"Priority",hint:""}:
{label:"Order",hint:""},onLines:c=>r({steps:c})})}),t("section",{class:"panel panel-body form",children:t(B,{label:"Extra",error:be(o,"extra"),hint:"Notes of yo\
urs, as a JSON object.",children:(c,d)=>t("input",{id:c,class:"input input-code","aria-describedby":d,spellcheck:!1,value:n.extra,onInput:u=>r({extra:u.currentTarget.
value})})})})]})}function Mu({draft:e,wrong:n,edit:o,operators:r,offers:s,locked:a}){let i={conditions:r?.conditions??[],actions:r?.actions??[]},l=d=>d==="path"?
_u:d==="level"?xu:d==="unique"||d==="force_strings"?$u:["value","address","msg","url","name"].includes(d)?s:[],c=d=>({part:d,lines:e[d],wrong:n,offers:i[d].map(
u=>({value:u.op,about:u.about})),argsOf:u=>ii(i[d],u),values:(u,p)=>l(p),aboutOf:u=>i[d].find(p=>p.op===u)?.about??null,loops:!0,onLines:u=>o({[d]:u})});return t(
x,{children:[t("section",{class:"panel panel-body form",children:[t(B,{label:"Description",error:be(n,"description"),hint:"What it is for.",children:(d,u)=>t("i\
nput",{id:d,class:"input","aria-describedby":u,value:e.description,onInput:p=>o({description:p.currentTarget.value})})}),t(B,{label:"Priority",error:be(n,"prior\
ity"),hint:"0 to 9999; the highest runs first.",children:(d,u)=>t("input",{id:d,class:"input input-number","aria-describedby":u,"aria-invalid":be(n,"priority")!==
null,inputMode:"numeric",value:e.priority,onInput:p=>o({priority:p.currentTarget.value.trim()})})}),t("label",{class:"check-line",children:[t("input",{type:"che\
ckbox",checked:e.sensitive,disabled:a,onChange:d=>o({sensitive:d.currentTarget.checked})})," Sensitive: what it says is never shown again, and that cannot be un\
done"]})]}),e.hidden?t("section",{class:"panel panel-body",children:[t("p",{children:"The service does not show what a sensitive rule says. It stays as it is, u\
nless you write it anew."}),t(b,{small:!0,onClick:()=>o({...eo("rules"),description:e.description,priority:e.priority,sensitive:!0,hidden:!1}),children:"Write i\
t anew"})]}):t(x,{children:[t("section",{class:"panel panel-body",children:t(no,{...c("conditions"),title:"If all of these hold",one:"condition",hint:"Without a\
 condition it always applies.",none:"Always.",inverts:!0})}),t("section",{class:"panel panel-body",children:t(no,{...c("actions"),title:"Then do this",one:"acti\
on",hint:"One after the other. The first that fails ends the inspection.",none:"Nothing."})})]})]})}function gr({kind:e,title:n,command:o,none:r}){let s=Fe.value[1];return s!==void 0?t(di,{kind:e,id:s},s):t(Au,{kind:e,title:n,command:o,none:r})}function Au({kind:e,
title:n,command:o,none:r}){let s=`${je[e]}?detail=True`,a=N(s),[i,l]=g(null),c=e==="rules"&&Q.value.get("try")!==null;L(()=>{let u=()=>a.reload();return addEventListener(
"focus",u),()=>removeEventListener("focus",u)},[]),Be([{keys:"n",about:`new ${Ee[e]}`,run:()=>Z(E([e,"new"]))}]);let d=i===null?"":i.name??i.uuid.slice(0,8);return t(
"div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:n}),t("span",{class:"spring"}),t(ie,{commands:{corten:o,curl:X("GET",s)}}),
e==="rules"&&t(b,{pressed:c,onClick:()=>U({try:c?null:"1"}),children:"Try all"}),t(b,{kind:"main",why:Vt(e,"create"),onClick:()=>Z(E([e,"new"])),children:[t(M,{
name:"plus"})," New ",Ee[e]]})]}),t("p",{class:"faint",children:r}),c&&t(Pu,{}),t(V,{doc:a,lines:6,children:u=>{let p=u[je[e].slice(4)]??[];return p.length===0?
t(j,{title:`No ${n.toLowerCase()}`,children:[t("p",{children:r}),t("p",{children:t("a",{href:E([e,"new"]),children:"Write the first"})})]}):t("div",{class:"card\
s",children:p.map(f=>t(Nu,{kind:e,recipe:f,onDelete:()=>l(f)},f.uuid))})}}),i!==null&&t(ze,{title:`Delete ${Ee[e]} ${i.name??i.description??i.uuid}`,text:t("p",
{children:"What it does is not done any more. What was done by it stays."}),word:d,action:"Delete",onClose:()=>l(null),onYes:()=>{F("DELETE",`${je[e]}/${S(i.uuid)}`).
then(()=>{l(null),W(`The ${Ee[e]} is deleted.`),a.reload()},u=>J("It could not be deleted",u))},children:t(Ne,{label:"corten",text:`corten ${Ee[e]} delete ${i.uuid}`})})]})}
function Pu(){let e=oo();return t(ro,{rule:null,why:null,trial:e})}function Nu({kind:e,recipe:n,onDelete:o}){let[r,s]=g(!1),a=n.name??n.description??n.uuid,i=[...n.
steps??[]].sort((l,c)=>e==="templates"?(c.priority??0)-(l.priority??0):(l.order??0)-(c.order??0));return t(O,{level:3,title:a,children:[n.name!==void 0&&n.description!=
null&&t("p",{children:n.description}),t("p",{class:"row",children:[n.owner!=null&&t("span",{class:"chip",children:["owner ",n.owner]}),n.public===!0&&t("span",{
class:"chip",children:"public"}),n.disable_ramdisk===!0&&t("span",{class:"chip",children:"no ramdisk"}),e==="rules"&&t("span",{class:"chip",children:["priority ",
n.priority??0]}),n.sensitive===!0&&t("span",{class:"chip",children:"sensitive"}),n.traits?.map(l=>t("span",{class:"chip",children:l},l))]}),e==="runbooks"&&n.traits?.
length===0&&t("p",{class:"warned",children:"Without a trait it fits no node: edit it and name one."}),n.steps!==void 0&&t("ol",{class:"plan-steps",children:i.map(
(l,c)=>t("li",{children:[l.interface,".",l.step," ",l.priority!==void 0&&t("span",{class:"faint",children:["priority ",l.priority]})," ",Object.keys(l.args??{}).
length>0&&t("code",{class:"faint",children:JSON.stringify(l.args)})]},c))}),e==="rules"&&(n.sensitive===!0?t("p",{class:"faint",children:"What it says is not sh\
own."}):t(x,{children:[t("p",{children:[t("strong",{children:"If"})," ",(n.conditions??[]).length===0?"always":(n.conditions??[]).map(l=>pi(l)).join(" and ")]}),
t("p",{children:[t("strong",{children:"then"})," ",(n.actions??[]).map(l=>pi(l)).join(", ")]})]})),t("p",{class:"row",children:[t(b,{small:!0,label:`Edit ${a}`,
why:Vt(e,"update"),onClick:()=>Z(E([e,n.uuid])),children:"Edit"}),t(b,{small:!0,kind:"quiet",label:`Copy ${a}`,why:Vt(e,"create")??(n.sensitive===!0?"what it sa\
ys is not shown":null),onClick:()=>Z(E([e,"new"],{from:n.uuid})),children:"Copy"}),t(b,{small:!0,kind:"quiet",label:`JSON of ${a}`,expanded:r,onClick:()=>s(!r),
children:"JSON"}),t(b,{small:!0,kind:"quiet",label:`Delete ${a}`,why:Vt(e,"delete"),onClick:o,children:"Delete"})]}),r&&t("pre",{class:"json",children:JSON.stringify(
n,null,2)})]})}function pi(e){let{op:n,args:o,...r}=e,s=typeof o=="object"&&o!==null?Object.entries(o):[],a=Object.entries(r).filter(([,i])=>i!==null&&i!==!1&&i!==
"any");return`${String(n)} ${[...s,...a].map(([i,l])=>`${i} ${typeof l=="string"?l:JSON.stringify(l)}`).join(", ")}`}function fi(){return t(gr,{kind:"templates",
title:"Deploy templates",command:"corten deploy template list",none:"A deploy template adds steps to deployments of instances that ask for the trait of its name\
."})}function mi(){return t(gr,{kind:"runbooks",title:"Runbooks",command:"corten runbook list",none:"A runbook is a list of steps with a name, for cleaning and \
servicing nodes that have one of its traits."})}function hi(){return t(gr,{kind:"rules",title:"Inspection rules",command:"corten inspection rule list",none:"An \
inspection rule changes a node by what inspection found: if its conditions hold, its actions are done."})}var gi="/corten/v1/image-caches",Ou={instance:"Images of instances",boot:"Kernels and ramdisks",iso:"Discs for virtual drives"};function bi(){let[e,n]=g(1e4),o=N(
gi,{every:e,keep:!0}),r=N("/corten/v1/images",{every:1e4,keep:!0}),a=(o.data.value?.conductors.flatMap(l=>l.caches??[])??[]).some(l=>l.downloads.length>0)?1e3:1e4;
a!==e&&n(a);let i=Q.value.get("q")??"";return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Images"}),t("span",{class:"\
spring"}),t(ie,{commands:{corten:"corten image cache",curl:X("GET",gi)}})]}),t(O,{title:"Under names",children:t(V,{doc:r,lines:2,children:l=>l.images.length===
0?t(j,{title:"No images under names",children:[t("p",{children:"An image under a name is fetched and checked once; nodes then say image://NAME."}),t("code",{children:"\
corten image add debian-13"})]}):t(Ru,{images:l.images})})}),t("div",{class:"page-head",children:[t("h2",{children:"Caches"}),t("span",{class:"spring"}),t("inpu\
t",{class:"input filter-wide",type:"search","aria-label":"Filter copies",placeholder:"Filter by address or file",value:i,onInput:l=>U({q:l.currentTarget.value},
!0)})]}),t(V,{doc:o,lines:6,children:l=>l.conductors.length===0?t(j,{title:"No conductor is alive",children:t("p",{children:"Caches are on the disks of conducto\
rs."})}):l.conductors.map(c=>t("section",{class:"stack","aria-label":`Conductor ${c.host}`,children:[t("h3",{children:c.host}),c.error!==null&&t("p",{class:"wro\
ng",children:["It does not tell: ",c.error]}),c.error===null&&(c.caches??[]).length===0&&t("p",{class:"faint",children:"It keeps no images."}),(c.caches??[]).map(
d=>t(Lu,{cache:d,typed:i},d.purpose))]},c.host))})]})}function Ru({images:e}){return t("div",{class:"scroll-x",role:"region","aria-label":"Images under names",tabIndex:0,
children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t(
"th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"from"}),t("th",{scope:"col",children:"fetched"})]})}),t("tbody",{children:e.map(n=>t(
"tr",{children:[t("th",{scope:"row",children:n.name}),t("td",{children:[t("span",{class:"state",children:[t(K,{look:n.last_error!==null?"failed":n.state==="read\
y"||n.state==="available"?"in_use":"working"})," ",n.state]}),n.state!=="ready"&&n.total_bytes!==null&&n.total_bytes>0&&t(De,{value:Re(n.done_bytes,n.total_bytes),
label:`${n.name}: how much has arrived`}),n.last_error!==null&&t("p",{class:"wrong wrap",children:n.last_error})]}),t("td",{class:"num",children:we(n.size)}),t(
"td",{class:"wrap",children:t("code",{children:n.url??"uploaded"})}),t("td",{children:t(me,{at:n.fetched_at,ago:!0})})]},n.uuid))})]})})}function Lu({cache:e,typed:n}){
let[o,r]=g(20),s=n.toLowerCase(),a=e.copies.filter(l=>`${l.source??""} ${l.file}`.toLowerCase().includes(s)),i=Re(e.bytes,e.most_bytes);return t(O,{class:"cache",
title:Ou[e.purpose]??e.purpose,level:3,children:[t(De,{value:i,label:`How full this cache is: ${Math.round(i)} %`}),t(ge,{rows:[["In use",`${we(e.bytes)} of ${we(
e.most_bytes)} in ${pe(e.files,"file")}`],["Free on its disk",we(e.free_bytes)],["Kept unused for",$e(e.ttl_s)],["Folder",t("code",{children:e.folder})]]}),e.downloads.
length>0&&t("ul",{class:"downloads","aria-label":"Downloads",children:e.downloads.map(l=>t("li",{children:[t(K,{look:"working"})," ",t("code",{children:l.source}),
" ",we(l.bytes),l.total!==null&&t(x,{children:[" of ",we(l.total)]}),", since ",t(me,{at:l.since}),l.total!==null&&t(De,{value:Re(l.bytes,l.total),label:`${l.source}\
: how much has arrived`})]},l.source+l.since))}),a.length===0?t("p",{class:"faint",children:e.copies.length===0?"It is empty: an image comes here when it is fir\
st needed.":"No copy fits."}):t("div",{class:"scroll-x",role:"region","aria-label":"Copies",tabIndex:0,children:t("table",{class:"table",children:[t("thead",{children:t(
"tr",{children:[t("th",{scope:"col",children:"image"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col",
children:"last used"}),t("th",{scope:"col",class:"num",children:"users"})]})}),t("tbody",{children:a.slice(0,o).map(l=>t("tr",{children:[t("th",{scope:"row",class:"\
wrap",children:t("code",{title:l.file,children:l.source??l.file})}),t("td",{class:"num",children:we(l.bytes)}),t("td",{children:t(me,{at:l.fetched_at})}),t("td",
{children:t(me,{at:l.used_at,ago:!0})}),t("td",{class:"num",children:l.users===0?t("span",{class:"faint",children:"none"}):q(l.users)})]},l.file))})]})}),a.length>
o&&t(b,{small:!0,onClick:()=>r(o*4),children:["Show more of ",q(a.length)]}),e.files>e.copies.length&&t("p",{class:"faint",children:["The ",q(e.copies.length),"\
 largest are shown."]})]})}function vi(){return t(j,{title:"There is no such screen",children:t("p",{children:[t("a",{href:E([]),children:"Go to the fleet"}),", or press ",t("kbd",{children:"\
Ctrl K"})," to find something."]})})}var yi="/corten/v1/config";function Du(e,n){let o=`[${e.section}] ${e.section}.${e.name} ${e.values.join(" ")} ${e.source} ${e.about}`.toLowerCase();return n.toLowerCase().
split(/\s+/).every(r=>o.includes(r))}function wi(){let e=oe(le.value,"corten:config:get"),n=N(e===null?yi:null),o=Q.value.get("q")??"",r=Q.value.get("all")!==null;
return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Settings"}),t("span",{class:"spring"}),t(ie,{commands:{corten:`co\
rten settings${r?" --all":""}`,curl:X("GET",yi)}}),t(b,{onClick:n.reload,why:e,children:"Read again"})]}),e!==null?t(j,{title:"The configuration is for administ\
rators",children:t("p",{children:["Not now: ",e,"."]})}):n.error.value!==void 0&&n.data.value===void 0?t(ke,{error:n.error.value,retry:n.reload}):t(x,{children:[
t("div",{class:"row",children:[t("input",{class:"input filter-wide",type:"search","aria-label":"Filter options",placeholder:"Filter: section, name, value, file \
or meaning",value:o,onInput:s=>U({q:s.currentTarget.value},!0)}),t("div",{class:"segmented",role:"radiogroup","aria-label":"Which options",children:[t("label",{
children:[t("input",{type:"radio",name:"which",checked:!r,onChange:()=>U({all:null},!0)}),t("span",{children:"Set by somebody"})]}),t("label",{children:[t("inpu\
t",{type:"radio",name:"which",checked:r,onChange:()=>U({all:"1"},!0)}),t("span",{children:"All"})]})]})]}),t(V,{doc:n,lines:10,children:s=>t(Iu,{config:s,typed:o,
all:r})})]})]})}function Iu({config:e,typed:n,all:o}){let r=e.options.filter(a=>(o||a.is_set)&&(n===""||Du(a,n))),s=[...new Set(r.map(a=>a.section))];return t(x,
{children:[t("p",{class:"faint",children:["What ",e.host===""?"this process":e.host," (",e.role,", version ",e.version,") runs with: ",pe(r.length,"option"),". \
It is changed in its file and takes effect at the next start; secrets are masked. Other processes of a cluster may have other settings."]}),r.length===0?t(j,{title:n===
""?"Everything has its default":"No option fits",children:o?t("p",{children:"Nothing in section, name, value, file or meaning has this."}):t("p",{children:t(b,{
small:!0,onClick:()=>U({all:"1"},!0),children:"Show all options"})})}):s.map(a=>t("section",{class:"panel","aria-labelledby":`section-${a}`,children:[t("header",
{class:"panel-head",children:t("h2",{class:"panel-title",id:`section-${a}`,children:["[",a,"]"]})}),t("dl",{class:"options",children:r.filter(i=>i.section===a).
map(i=>t("div",{class:`option${i.is_set?" option-set":""}`,children:[t("dt",{children:[t("code",{children:i.name}),t("span",{class:"option-source",title:i.source,
children:[i.is_masked&&t(M,{name:"lock"})," ",i.source]})]}),t("dd",{children:[i.values.length===0?t("span",{class:"faint",children:"not set"}):i.values.map((l,c)=>t(
"code",{children:l===""?"(empty)":l},c)),i.is_set&&i.default!==null&&i.values.join()!==i.default&&t("span",{class:"faint",children:[" default ",i.default===""?"\
(empty)":i.default]}),t("p",{class:"faint",children:i.about}),i.effect!==null&&i.is_set&&t("p",{class:"warned",children:[t(M,{name:"warn"})," ",i.effect]})]})]},
i.name))})]},a))]})}function ki(){let e=N("/corten/v1/webhooks",{every:5e3}),[n,o]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"\
Webhooks"}),t("span",{class:"spring"}),t(ie,{commands:{corten:"corten webhook list",curl:X("GET","/corten/v1/webhooks")}})]}),t(V,{doc:e,lines:5,children:r=>r.webhooks.
length===0?t(j,{title:"No webhooks",children:[t("p",{children:"A webhook has every event posted to an address of yours, in order and at least once."}),t("code",
{children:"corten webhook create URL"})]}):t("div",{class:"cards",children:r.webhooks.map(s=>t(Bu,{one:s,onLetters:()=>o(s),reload:e.reload},s.uuid))})}),n!==null&&
t(qu,{webhook:n,onClose:()=>o(null)})]})}function Bu({one:e,onLetters:n,reload:o}){let[r,s]=g(!1),a=`/corten/v1/webhooks/${S(e.uuid)}`,i=Math.max(0,Ie.value-e.cursor),
l=e.enabled?e.failures>0?"failed":"in_use":"held",c=async()=>{s(!0);try{let u=await F("POST",`${a}/test`);u?.delivered===!0?W(`Delivered: status ${u.status??""}\
, ${u.duration_ms} ms.`):J("The test was not delivered",new Error(u?.error??"no reason is known"))}catch(u){J("The test was refused",u)}s(!1)},d=async()=>{try{await F(
"PATCH",a,{enabled:!e.enabled}),o()}catch(u){J("The change was refused",u)}};return t(O,{level:3,title:t(x,{children:[t(K,{look:l})," ",e.description??e.url]}),
children:[t(ge,{rows:[["Address",t("code",{children:e.url})],["State",e.enabled?e.failures>0?`failed ${pe(e.failures,"time")}`:"delivering":`disabled${e.disabled_reason===
null?"":`: ${e.disabled_reason}`}`],["Behind",i===0?"nothing":pe(i,"event")],["Kinds",e.kinds.length===0?"all":e.kinds.join(", ")],["Node",e.node],["Project",e.
project],["Last success",e.last_success===null?null:t(me,{at:e.last_success,ago:!0})],["Next attempt",e.next_attempt===null?null:`in ${Te(new Date().toISOString(),
Date.parse(e.next_attempt))}`],["Last error",e.last_error===null?null:t("span",{class:"wrong",children:e.last_error})],["Sender",e.sender]]}),t("p",{class:"row",
children:[t(b,{small:!0,busy:r,why:oe(le.value,"corten:webhook:test"),onClick:()=>{c()},children:"Test"}),t(b,{small:!0,onClick:n,children:"Dead letters"}),t(b,
{small:!0,kind:"quiet",why:oe(le.value,"corten:webhook:update"),onClick:()=>{d()},children:e.enabled?"Disable":"Enable"})]})]})}function qu({webhook:e,onClose:n}){
let o=`/corten/v1/webhooks/${S(e.uuid)}`,r=N(`${o}/dead-letters`),s=async u=>{try{await F("POST",`${o}/replay`,u),W("They are delivered once more."),r.reload()}catch(p){
J("The replay was refused",p)}},a=oe(le.value,"corten:webhook:replay"),[i,l]=g(""),c=/^\d*$/.test(i)?null:"A cursor is a whole number.",d=r.data.value?.dead_letters.
length??0;return t(ue,{wide:!0,title:`Dead letters of ${e.description??e.url}`,onClose:n,foot:t(x,{children:[t(b,{onClick:n,children:"Close"}),t(b,{kind:"main",
why:a??(d===0?"there are none":null),onClick:()=>{s({dead_letters:!0})},children:"Deliver all again"})]}),children:[t(V,{doc:r,children:u=>u.dead_letters.length===
0?t(j,{title:"Everything was delivered",children:"Events that could not be delivered after all attempts are put aside here."}):t("div",{class:"scroll-x",children:t(
"table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",class:"num",children:"cursor"}),t("th",{scope:"col",children:"event"}),
t("th",{scope:"col",class:"num",children:"attempts"}),t("th",{scope:"col",children:"why not"}),t("th",{scope:"col"})]})}),t("tbody",{children:u.dead_letters.map(
p=>t("tr",{children:[t("td",{class:"num",children:q(p.cursor)}),t("td",{children:[p.event.node_name??""," ",p.event.kind??""," ",p.event.text??""]}),t("td",{class:"\
num",children:p.attempts}),t("td",{class:"wrong wrap",children:p.last_error}),t("td",{children:t(b,{small:!0,kind:"quiet",why:a??(p.replay?"it is being delivere\
d":null),onClick:()=>{s({dead_letter:p.cursor})},children:"Again"})})]},p.cursor))})]})})}),t("form",{class:"row replay",onSubmit:u=>{u.preventDefault(),a===null&&
c===null&&i!==""&&s({after:Number(i)})},children:[t(B,{label:"Deliver everything again that came after the cursor",error:c,hint:`It is at ${e.cursor} now. Recei\
vers hear of the same events once more.`,children:(u,p)=>t("input",{id:u,class:"input input-number",inputMode:"numeric","aria-describedby":p,value:i,onInput:f=>l(
f.currentTarget.value.trim())})}),t(b,{type:"submit",why:a??c??(i===""?"a cursor is missing":null),children:"Replay"})]}),t(Ne,{label:"corten",text:`corten webh\
ook replay ${e.uuid} ${i===""?"--dead-letters":`--after ${i}`}`})]})}function Fu(e){return/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function _i(){let[e,n]=g(""),[o,r]=g([]),[s,a]=g(0),i=Y(null),l=()=>Et.value=!1;L(()=>{let h=e.
trim();if(a(0),h===""){r([]);return}let _=new AbortController,$=window.setTimeout(()=>{te(`/corten/v1/nodes?limit=8&q=${S(Fu(h))}`,_.signal).then(T=>r(T.nodes),
()=>r([]))},120);return()=>{window.clearTimeout($),_.abort()}},[e]);let c=e.trim().toLowerCase(),d=h=>c===""||h.toLowerCase().includes(c),u=Fe.value[0]==="nodes"?
Fe.value[1]:void 0,p=[...o.map(h=>({id:h.uuid,kind:"Node",label:h.name??h.uuid,row:h,run:()=>Z(E(["nodes",h.name??h.uuid]))})),...u===void 0?[]:mt.filter(h=>d(h.
label)).map(h=>({id:`verb-${h.verb}`,kind:"Verb",label:`${h.label} ${u}`,run:()=>Z(E(["nodes",u],{do:h.verb}))})),...br.filter(h=>d(h.label)).map(h=>({id:`scree\
n-${h.word}`,kind:"Screen",label:h.label,run:()=>Z(E(h.word===""?[]:[h.word]))})),...rt.value.filter(h=>d(h.name)).map(h=>({id:`view-${h.name}`,kind:"View",label:h.
name,run:()=>Z(E(["nodes"],{q:h.q,sort:h.sort}))})),...c===""?[]:[{id:"search",kind:"Filter",label:`Nodes that match ${e.trim()}`,run:()=>Z(E(["nodes"],{q:e.trim()}))}]],
f=Math.min(s,p.length-1),m=h=>{h!==void 0&&(l(),h.run())};return L(()=>{i.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({block:"nearest"})},[
f]),t(ue,{title:"Find",onClose:l,class:"palette",children:[t("input",{class:"input palette-input",placeholder:"Name, MAC, address, screen or verb","aria-label":"\
Find",role:"combobox","aria-expanded":"true","aria-controls":"palette-list","aria-activedescendant":p[f]===void 0?void 0:`palette-${f}`,autofocus:!0,autocomplete:"\
off",spellcheck:!1,value:e,onInput:h=>n(h.currentTarget.value),onKeyDown:h=>{if(h.key==="ArrowDown")a(Math.min(f+1,p.length-1));else if(h.key==="ArrowUp")a(Math.
max(f-1,0));else if(h.key==="Enter")m(p[f]);else return;h.preventDefault()}}),t("ul",{class:"palette-list",role:"listbox",id:"palette-list","aria-label":"Found",
ref:i,children:p.map((h,_)=>t("li",{id:`palette-${_}`,role:"option","aria-selected":_===f,class:"palette-row",onMouseMove:()=>a(_),onClick:()=>m(h),children:[t(
"span",{class:"palette-kind",children:h.kind}),t("span",{class:"palette-label",children:h.label}),h.row!==void 0&&t(pt,{state:h.row.provision_state,maintenance:h.
row.maintenance})]},h.id))}),p.length===0&&t("p",{class:"faint palette-none",children:"Nothing has this in its name."})]})}function xi(){let[e,n]=g(),[o,r]=g("password"),[s,a]=g({user_domain:"Default",project_domain:"Default"}),[i,l]=g(null),[c,d]=g(!1);L(()=>{te("/corten/v1/session").
then(n,()=>n({mode:"http_basic",is_signed_in:!1}))},[]);let u=(m,h,_="text",$=!1)=>t(B,{label:h,children:T=>t("input",{id:T,class:"input",type:_,name:m,autofocus:$,
autocomplete:_==="password"?"current-password":m==="username"?"username":"off",value:s[m]??"",onInput:y=>{let{value:v}=y.currentTarget;a(w=>({...w,[m]:v}))}})},
m),p=()=>{if(e?.mode!=="keystone"){let _={username:s.username,password:s.password},$=s.project??"";return e?.mode==="local"&&$!==""?{..._,project:$}:_}if(o==="t\
oken")return{token:s.token};if(o==="credential")return{application_credential:{id:s.id,secret:s.secret}};let m={username:s.username,password:s.password,user_domain:s.
user_domain},h=s.project??"";return h===""?{...m,system:!0}:{...m,project:h,project_domain:s.project_domain}},f=async()=>{d(!0),l(null);try{await gs(p())}catch(m){
l(m instanceof Ae&&m.status===401?"Name or password is wrong.":m instanceof Error?m.message:String(m))}d(!1)};return t(ue,{title:"Sign in to Corten",onClose:()=>{},
class:"signin",children:t("form",{class:"form",onSubmit:m=>{m.preventDefault(),f()},children:[e?.mode==="keystone"&&t("div",{class:"segmented",role:"radiogroup",
"aria-label":"Sign in by",children:["password","token","credential"].map(m=>t("label",{children:[t("input",{type:"radio",name:"way",checked:o===m,onChange:()=>r(
m)}),t("span",{children:m==="credential"?"application credential":m})]},m))}),(e?.mode!=="keystone"||o==="password")&&t(x,{children:[u("username","Name","text",
!0),u("password","Password","password")]}),e?.mode==="local"&&u("project","Project (empty: as your roles say)"),e?.mode==="keystone"&&o==="password"&&t("div",{class:"\
pair",children:[u("user_domain","Domain of the user"),u("project","Project (empty: the system)")]}),e?.mode==="keystone"&&o==="token"&&u("token","Token","passwo\
rd",!0),e?.mode==="keystone"&&o==="credential"&&t(x,{children:[u("id","Id","text",!0),u("secret","Secret","password")]}),i!==null&&t("p",{class:"wrong",role:"al\
ert",children:i}),t(b,{kind:"main",type:"submit",busy:c,children:"Sign in"})]})})}var vr=[{word:"",label:"Fleet",key:"f"},{word:"nodes",label:"Nodes",key:"n"},{word:"events",label:"Events",key:"e"},{word:"conductors",label:"Conductors",key:"c"},
{word:"allocations",label:"Allocations",key:"a"}],yr=[{word:"batches",label:"Batches",about:"one verb over many machines, in waves"},{word:"enrol",label:"Enrol \
machines",about:"tell the service of one machine, or of a table of them"},{word:"templates",label:"Deploy templates",about:"steps that deployments have for a tr\
ait"},{word:"runbooks",label:"Runbooks",about:"steps for cleaning and servicing, under a name"},{word:"rules",label:"Inspection rules",about:"what is done about\
 what inspection finds"},{word:"images",label:"Images",about:"images under names, and what is cached"},{word:"boot",label:"Boot services",about:"networks, lease\
s, machines that boot from here"},{word:"webhooks",label:"Webhooks",about:"addresses that events are posted to"},{word:"settings",label:"Settings",about:"the co\
nfiguration, and where each value is from"}],br=[...vr,...yr,{word:"me",label:"Me and my rules"}];function $i({children:e}){let n=Fe.value[0]??"";L(()=>(document.
addEventListener("keydown",Qo),document.addEventListener("click",Do),()=>{document.removeEventListener("keydown",Qo),document.removeEventListener("click",Do)}),
[]);let o=Fe.value.join("/");L(()=>{let a=br.find(i=>i.word===n);Fe.value[1]===void 0&&(document.title=a===void 0?"Corten":`${a.label} \xB7 Corten`),document.querySelector(
".nav-link[aria-current]")?.scrollIntoView({block:"nearest",inline:"nearest"}),document.activeElement===document.body&&document.getElementById("main")?.focus({preventScroll:!0})},
[o]),Be([...vr.map(a=>({keys:`g ${a.key}`,about:`go to ${a.label.toLowerCase()}`,run:()=>Z(E(a.word===""?[]:[a.word]))})),{keys:"?",about:"show these keys",run:()=>hn.
value=!0}]);let r=yr.find(a=>a.word===n),s=Se.value==="lost";return t(x,{children:[t("a",{class:"skip",href:"#main",children:"Skip to content"}),t("header",{class:"\
bar",children:[t("a",{class:"brand",href:E([]),children:[t("span",{class:"brand-mark","aria-hidden":"true",children:[t("i",{}),t("i",{}),t("i",{})]}),"Corten"]}),
t("div",{class:"nav-row",children:[t("nav",{class:"nav","aria-label":"Screens",children:vr.map(a=>t("a",{class:"nav-link",href:E(a.word===""?[]:[a.word]),"aria-\
current":n===a.word?"page":void 0,children:a.label},a.word))}),t(Qe,{kind:r===void 0?"quiet":"here",right:!0,name:r===void 0?"More screens":`${r.label}: more sc\
reens`,label:r?.label??"More",choices:yr.map(a=>({label:a.label,about:a.about,onPick:()=>Z(E([a.word]))}))})]}),t("div",{class:"bar-end",children:[t("button",{type:"\
button",class:"button button-quiet find",onClick:()=>Et.value=!0,children:[t(M,{name:"search"})," ",t("span",{class:"find-word",children:"Find"})," ",t("kbd",{children:"\
Ctrl K"})]}),t(ju,{}),t(Uu,{})]})]}),le.value?.mode==="noauth"&&t("p",{class:"banner",children:[t(M,{name:"lock"})," No sign-in is set up: everybody who reaches\
 this service may do everything."]}),s&&t(Wu,{}),t("main",{id:"main",class:s?"main main-stale":"main",tabIndex:-1,children:e}),t(us,{}),Et.value&&t(_i,{}),hn.value&&
t(Ku,{}),dt.value&&t(xi,{})]})}function ju(){let e={connecting:"connecting",live:"live",lost:"connection lost",paused:"paused"};return t("span",{class:`live liv\
e-${Se.value}`,title:e[Se.value],children:[t("span",{class:"live-dot","aria-hidden":"true"}),t("span",{class:"live-word",children:e[Se.value]})]})}function Wu(){
let e=(Ge.value-un.value)/1e3;return t("div",{class:"lost",role:"alert",children:[t(M,{name:"warn"}),t("span",{children:["The service does not answer. What you \
see is from"," ",t("time",{dateTime:new Date(un.value).toISOString(),title:_t(new Date(un.value).toISOString()),children:[$e(e)," ago"]}),"."]}),t(b,{small:!0,onClick:Fn,
children:"Try now"})]})}function Uu(){let e=le.value,n=[{label:"Me and my rules",onPick:()=>Z(E(["me"]))},{label:"Light",checked:ot.value==="light",onPick:()=>Ht(
"light")},{label:"Dark",checked:ot.value==="dark",onPick:()=>Ht("dark")},{label:"As the system",checked:ot.value==="system",onPick:()=>Ht("system")},{label:"Let\
ters are keys",checked:Ye.value,onPick:()=>Ye.value=!Ye.value},{label:"Keyboard",onPick:()=>hn.value=!0},...e!==void 0&&e.mode!=="noauth"?[{label:"Sign out",onPick:()=>{
bs().catch(r=>J("Signing out failed",r))}}]:[]],o=Hn(e);return t(Qe,{kind:"quiet",right:!0,name:o===""?"Menu":`Menu of ${o}`,label:t("span",{class:"who",children:o===
""?"Menu":o}),choices:n})}var Hu=[["Ctrl K","find a node, a screen or a command"],["Esc","close, then clear"]];function Ku(){let e=new Map(Hu);for(let n of Yo())
e.set(n.keys===" "?"Space":n.keys,n.about);return t(ue,{title:"Keys of this screen",onClose:()=>hn.value=!1,children:[t("dl",{class:"keys",children:[...e].map(([
n,o])=>t("div",{class:"keys-row",children:[t("dt",{children:n.split(" ").map(r=>t("kbd",{children:r},r))}),t("dd",{children:o})]},n))}),!Ye.value&&t("p",{class:"\
faint",children:"Single letters are switched off; the menu switches them on."})]})}function Ju(){let[e,n]=Fe.value;switch(e){case void 0:return t(sa,{});case"nodes":return n===void 0?t(ja,{}):t(Ra,{ident:n},n);case"batches":return n===void 0?t(
Ns,{}):t(Os,{uuid:n},n);case"events":return t(Ys,{});case"conductors":return t(Ds,{});case"allocations":return t(xs,{});case"enrol":return t(Hs,{});case"templat\
es":return t(fi,{});case"runbooks":return t(mi,{});case"rules":return t(hi,{});case"images":return t(bi,{});case"boot":return t($s,{});case"settings":return t(wi,
{});case"webhooks":return t(ki,{});case"me":return t(aa,{});default:return t(vi,{})}}function Vu(){return t($i,{children:t(In,{children:t(Ju,{})},Fe.value.join(
"/"))})}var Si=document.getElementById("app");Si!==null&&Dr(t(Vu,{}),Si);Un();fs();
