var oe,Lr,vo,lt,go,Nn,Dr,An,Ir,yo,bo,Hi,nn=Symbol.for("pv"),On={},Rn=[],Ki=/^m(i|n|o|s|text|space)$/,wo=Array.isArray,ko=Rn.slice,wt=Object.assign;function yt(e){
e&&e.parentNode&&e.remove()}function Ln(e,n,o){var r,s,a,i={},l=arguments.length;for(a in n)a=="key"?r=n[a]:a=="ref"&&typeof e!="function"?s=n[a]:i[a]=n[a];return l>
2&&(i.children=l>3?ko.call(arguments,2):o),tn(e,i,r,s,null)}function tn(e,n,o,r,s){var a={type:e,props:n,key:o,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:nn,__v:s||++Lr,__i:-1,__u:0};return!s&&oe.vnode&&oe.
vnode(a),a}function _(e){return e.children}function ct(e,n){this.props=e,this.context=n,this.__g=0}function ut(e,n){if(n==null)return e.__&&ut(e.__,e.__i+1);for(var o;n<e.
__k.length;n++)if((o=e.__k[n])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:ut(e)}function Ji(e){var n,o=e.__v,r=o.__e,s=[],a=[],i=e.__P;
i&&((n=wt({constructor:nn},o)).__v=o.__v+1,oe.vnode&&oe.vnode(n),_o(i,n,o,e.__n,i.namespaceURI,32&o.__u?[r]:null,s,r||ut(o),32&o.__u,a),n.__v=o.__v,n.__.__k[n.__i]=
n,Ur(s,n,a),o.__=o.__e=null,n.__e!=r&&Br(n))}function Br(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),
Br(e)}function Or(e){(8&e.__g||(e.__g|=8,lt.push(e),Nn++))&&go==oe.debounceRendering||((go=oe.debounceRendering)||queueMicrotask)(qr)}function qr(){try{for(var e,
n=1;lt.length;)lt.length>n&&lt.sort(Dr),e=lt.shift(),n=lt.length,8&e.__g&&Ji(e)}finally{(Nn=lt.length)&&(go||queueMicrotask)(qr)}}function Fr(e,n,o,r,s,a,i,l,u,d,c){
var p,f,m,h,k,x,T=r.__k||Rn,y=n.length;for(u=Vi(o,n,T,u,y),p=0;p<y;p++)(m=o.__k[p])!=null&&(f=~m.__i&&T[m.__i]||On,m.__i=p,x=_o(e,m,f,s,a,i,l,u,d,c),h=m.__e,(f.
ref!=m.ref||8&f.__u)&&(f.ref&&xo(f.ref,null,m,f),m.ref&&c.push(m.ref,m.__c||h,m)),k=k||h,4&m.__u?(u=jr(m,u,e,!f.__v),f.__e&&(f.__e=null)):typeof m.type=="functi\
on"&&x!==void 0?u=x:h&&(u=h.nextSibling),m.__u&=-21);return o.__e=k,u}function Vi(e,n,o,r,s){var a,i,l,u,d,c,p,f,m,h=o.length,k=h,x=0,T=0,y=e.__k=Array(s);for(a=
0;a<s;a++)(i=n[a])!=null&&typeof i!="boolean"&&typeof i!="function"?(typeof i!="object"||i.constructor===String?i=y[a]=tn(null,i):wo(i)?i=y[a]=tn(_,{children:i}):
i.constructor===nn&&i.__b?i=y[a]=tn(i.type,i.props,i.key,i.ref,i.__v):y[a]=i,u=a+x,i.__=e,i.__b=e.__b+1,l=null,~(d=i.__i=Gi(i,o,u,k))&&(k--,(l=o[d])&&(l.__u|=2)),
l&&l.__v?(i.__u|=16,d==u-1?x--:d==u+1?x++:d!=u&&(d>u?x--:x++,T=1)):(~d||(s>h?x--:s<h&&x++),typeof i.type!="function"&&(i.__u|=4))):y[a]=null;if(T){for(c=[],p=[],
a=0;a<s;a++)if((i=y[a])&&16&i.__u){for(x=0,f=c.length;x<f;)c[m=x+f>>1]<i.__i?x=m+1:f=m;c[x]=i.__i,p[a]=x+1}for(x=c.length;a--;)p[a]&&(p[a]==x?x--:y[a].__u|=4)}if(k)
for(a=0;a<h;a++)!(l=o[a])||2&l.__u||(l.__e==r&&(r=ut(l)),$o(l,l));return r}function jr(e,n,o,r){var s,a,i,l;if(typeof e.type=="function"){if(e.props.__P)return n;
if(s=e.__k)for(a=0;a<s.length;a++)s[a]&&(s[a].__=e,n=jr(s[a],n,o,!1));return n}for(n&&!n.parentNode&&(n=ut(e))&&!n.parentNode&&(n=null),i=e.__e,l=n;l&&l.nodeType==
8;)l=l.nextSibling;for(i!=l&&(!r&&o.moveBefore&&i.parentNode?o.moveBefore(i,n):o.insertBefore(i,n||null)),n=i;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith(
"$s"););return n}function Gi(e,n,o,r){var s,a=e.key,i=e.type,l=n[o],u=l&&!(2&l.__u);if(l===null&&a==null||u&&a==l.key&&i==l.type)return o;if(r>(u?1:0)){for(s=o-1;s>=0;s--)if((l=
n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s;for(s=o+1;s<n.length;s++)if((l=n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s}return-1}function Rr(e,n,o){o==null&&
(o=""),n[0]=="-"?e.setProperty(n,o):e[n]=o}function Mn(e,n,o,r,s){var a,i;if(n=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof r=="string"&&(e.style.
cssText=r=""),r)for(n in r)o&&n in o||Rr(e.style,n);if(o)for(n in o)r&&o[n]==r[n]||Rr(e.style,n,o[n])}else if(n[0]=="o"&&n[1]=="n")typeof o!="function"&&(o=null),
typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[n]=o,o&&r||(i=bo[n]||(bo[n]=zi(n)),(e.__a||(e.__a={}))[n]=yo,a=n!=(n=n.replace(Ir,"$1")),(n=n.slice(2))[0]<"a"&&
(n=n.toLowerCase()),o?e.addEventListener(n,i,a):e.removeEventListener(n,i,a));else{if(s=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)
try{return void(e[n]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&o==1?"":o)}}function zi(e){
return function(n){var o=this.__e;if(o){if(o=o[e],n[An]==null)n[An]=yo++;else if(n[An]<this.__a[e])return;return o(oe.event?oe.event(n):n)}}}function _o(e,n,o,r,s,a,i,l,u,d){
var c,p,f,m,h,k,x,T,y,v,w,R,$,M,S,J,P,te,ue=n.type;if(n.constructor!==nn)return null;128&o.__u&&(u=32&o.__u,c=o.__c.__z)&&(n.__u|=u,p=a=[],c.nodeType==8?l=Pn(c,
a):a.push(c),l=a[0]||l),(c=oe.__b)&&c(n);e:if(typeof ue=="function"){f=i.length;try{if(T=n.props,y=(c=ue.prototype)&&c.render,v=(c=ue.contextType)&&r[c.__c],w=c?
v?v.props.value:c.__:r,(m=o.__c)?(n.__c=m,2&m.__g&&(m.__g|=1)):(y?n.__c=m=new ue(T,w):(n.__c=m=new ct(T,w),m.constructor=ue,m.render=Qi),v&&v.sub(m),m.state||(m.
state={}),m.__n=r,m.__g|=8,m.__h=[],m.__k=[]),y&&(m.__s||(m.__s=m.state),ue.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=wt({},m.__s)),wt(m.__s,ue.getDerivedStateFromProps(
T,m.__s)))),h=m.props,k=m.state,m.__v=n,o.__c){if(T!==h&&y&&!ue.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(T,w),n.__v==o.
__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(T,m.__s,w)===!1){n.__v!=o.__v&&(m.props=T,m.state=m.__s,m.__g&=-9),n.__e=o.__e,n.__k=
o.__k,n.__k.some(function(I){I&&(I.__=n)}),Rn.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&i.push(m),l=ut(o);break e}m.componentWillUpdate&&m.componentWillUpdate(
T,m.__s,w),y&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(h,k,x)})}else y&&!ue.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),
y&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=w,m.props=T,m.__P=e,m.__g&=-5,R=oe.__r,$=y?25:0;do m.__g&=-9,R&&R(n),c=m.render(m.props,m.state=
m.__s,m.context);while(8&m.__g&&++$<25);y&&(Rn.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(r=wt({},r,m.getChildContext())),y&&o.__c&&m.getSnapshotBeforeUpdate&&
(x=m.getSnapshotBeforeUpdate(h,k)),M=c&&c.type===_&&c.key==null?c.props.children:c,T.__P&&(c=l,s=(e=T.__P).namespaceURI,u=a=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(I){I&&$o(I,I)}),o.__k=null),l=o.__k?ut(o,0):null),l=Fr(e,wo(M)?M:[M],n,o,r,s,a,i,l,u,d),T.__P&&(n.__e=null,l=c),n.__u&=-161,p&&p.some(yt),m.__h.length&&
i.push(m),1&m.__g&&(m.__g&=-4)}catch(I){if(i.length=f,n.__v=null,u||a)if(I&&I.then){if(n.__u|=128|u,a){for(~(P=a.indexOf(l||void 0))||(P=a.length);(te=a[P-1])&&
te.nodeType==8;)P--;for(;P<a.length;P++)if(te=a[P])if(a[P]=null,S){if(te==J)break}else{if(te.nodeType!=8)break;te.data.startsWith("$s")&&(J=Pn(S=te))}}if(!S){for(;l&&
l.nodeType==8&&l.nextSibling;)l=l.nextSibling;S=l}(c=Pn(S=n.__c.__z||(n.__c.__z=S)))?(n.__e=S,l=c):n.__e=l,l=l&&l.nextSibling}else a&&a.some(yt);else n.__e=o.__e;
n.__k||(n.__k=o.__k||[]),I&&I.then||Wr(n),oe.__e(I,n,o)}}else l=n.__e=Yi(o.__e,n,o,r,s,a,i,u,d,e);return(c=oe.diffed)&&c(n),l}function Pn(e,n){if(e&&e.nodeType==
8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)return e}n&&n.push(
e)}}function Wr(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Wr))}function Ur(e,n,o){for(var r=0;r<o.length;)xo(o[r++],o[r++],o[r++]);oe.__c&&oe.__c(n,e),e.some(
function(s){try{e=s.__h,s.__h=[],e.some(function(a){a.call(s)})}catch(a){oe.__e(a,s.__v)}})}function Yi(e,n,o,r,s,a,i,l,u,d){var c,p,f,m,h,k,x,T,y=o.props||On,v=n.
props,w=n.type;if(w=="svg"?s="http://www.w3.org/2000/svg":w=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),a){for(c=0;c<a.
length;c++)if((h=a[c])&&(w?h.localName==w:h.nodeType==3)){e=h,a[c]=null;break}}if(!e){if(T=d.ownerDocument||document,!w)return T.createTextNode(v);e=T.createElementNS(
s,w,v.is?v:d),l&&(oe.__m&&oe.__m(n,a),l=!1),a=null}if(w){if(d=w=="template"&&e.content||e,a=w=="textarea"&&v.defaultValue!=null?null:a&&ko.call(d.childNodes),!l&&
a)for(y={},c=0;c<e.attributes.length;c++)y[(h=e.attributes[c]).name]=h.value;for(c in y)h=y[c],c=="dangerouslySetInnerHTML"?f=h:c=="children"||c in v||c=="value"&&
"defaultValue"in v||c=="checked"&&"defaultChecked"in v||Mn(e,c,null,h,s);for(c in v)h=v[c],c=="children"?m=h:c=="dangerouslySetInnerHTML"?p=h:c=="value"?k=h:c==
"checked"?x=h:l&&typeof h!="function"||y[c]===h||Mn(e,c,h,y[c],s);p?(l||f&&(p.__html==f.__html||p.__html==e.innerHTML)||(e.innerHTML=p.__html),n.__k=[]):(f&&(e.
textContent=""),(w=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&Ki.test(w))&&(s="http://www.w3.org/1999/xhtml"),Fr(d,wo(m)?m:[m],n,o,r,s,a,i,a?a[0]:
o.__k&&ut(o,0),l,u),a&&a.some(yt)),l&&w!="textarea"||(c="value",w=="progress"&&k==null?e.removeAttribute(c):k==null||k===e[c]&&(w!="progress"||k)||Mn(e,c,k,y[c],
s),c="checked",x!=null&&x!=e[c]&&Mn(e,c,x,y[c],s))}else y===v||l&&e.data==v||(e.data=v);return e}function xo(e,n,o,r){try{typeof e=="function"?n?n.__x=e(n)||1:r&&
(r=r.__c||r.__e)&&(n=r.__x)&&(r.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(s){oe.__e(s,o)}}function $o(e,n,o){var r,s,a,i;if(oe.unmount&&oe.unmount(
e),!(r=e.ref)||r.current&&r.current!=e.__e||xo(r,null,n,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(l){oe.__e(l,n)}r.__P=r.__n=null}
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&$o(r[i],n,typeof e.type!="function"||o&&!e.props.__P);!o&&(r=e.__c)&&(r=r.__z)&&(s=Pn(r,a=[]))&&(r==e.__e&&a.some(yt),yt(
s),yt(r)),o||yt(e.__e),e.__e=e.__c=e.__=null}function Qi(e,n,o){return this.constructor(e,o)}function Hr(e,n){var o,r,s,a;oe.__&&oe.__(e,n),n.nodeType==9&&(n=n.
documentElement),r=(o=e&&32&e.__u)?null:n.__k,n.__k=tn(_,{children:[e]}),s=[],a=[],_o(n,n.__k,r||On,On,n.namespaceURI,r?null:n.firstChild?ko.call(n.childNodes):
null,s,r?r.__e:n.firstChild,o,a),Ur(s,n.__k,a),n.__k.props.children=null}oe={__e:function(e,n,o,r){for(var s,a,i;n=n.__;)if((s=n.__c)&&!(1&s.__g)){s.__g|=4;try{if((i=(a=s.constructor)&&a.getDerivedStateFromError)&&s.setState(a.getDerivedStateFromError(
e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),i=1),i&&8&s.__g)return void(s.__g|=2)}catch(l){e=l}}throw Nn=0,e}},Lr=0,vo=function(e){return e!=null&&e.
constructor===nn},ct.prototype.setState=function(e,n){var o=this.__s;o&&o!=this.state||(o=this.__s=wt({},this.state)),typeof e=="function"&&(e=e(wt({},o),this.props)),
e&&(wt(o,e),this.__v&&(n&&this.__k.push(n),Or(this)))},ct.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Or(this))},ct.prototype.render=
_,lt=[],Nn=0,Dr=function(e,n){return e.__v.__b-n.__v.__b},An=Symbol(),Ir=/(PointerCapture)$|Capture$/i,yo=0,bo={},Hi=0;var kt,ke,So,Kr,Co=Object.is,Dn=0,es=[],To=[],we=oe,Jr=we.__b,Vr=we.__r,Gr=we.diffed,zr=we.__c,Yr=we.unmount,Qr=we.__;function rn(e,n){we.__h&&we.__h(ke,e,Dn||n),
Dn=0;var o=ke.__H||(ke.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function g(e){return Dn=1,Zi(ts,e)}function Zi(e,n,o){var r=rn(kt++,2);if(r.
t=e,!r.__c&&(r.__=[o?o(n):ts(void 0,n),function(a){var i=(r.__N||r.__)[0],l=r.t(i,a);Co(i,l)||(r.__N=[l,r.__[1]],r.__c.setState({}))}],r.__c=ke,!ke.__f)){ke.__f=
!0;var s=ke.shouldComponentUpdate;ke.shouldComponentUpdate=function(a,i,l){var u=this.__H;if(!u)return!0;var d=!1,c=this.props!=a;if(u.__.some(function(f){f.__N&&
(d=!0,Co(f.__[0],f.__N[0])||(c=!0))}),s){var p=s.call(this,a,i,l);return d?p||c:p}return!d||c}}return r.__}function D(e,n){var o=rn(kt++,3);!we.__s&&Mo(o.__H,n)&&
(o.__P=!0,o.__=e,o.u=n,ke.__H.__h.push(o))}function Ke(e,n){var o=rn(kt++,4);!we.__s&&Mo(o.__H,n)&&(o.__P=!1,o.__=e,o.u=n,ke.__h.push(o))}function Y(e){return Dn=
5,Je(function(){return{current:e}},[])}function Je(e,n){var o=rn(kt++,7);return Mo(o.__H,n)&&(o.__=e(),o.__H=n),o.__}function et(){var e=rn(kt++,11);if(!e.__){for(var n=ke.__v;!n.__m&&n.__;)n=n.__;var o=n.__m||(n.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function Xi(){var e;
do{for(;e=To.shift();)try{on(e)}catch(o){we.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=es.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(on),n.__h.some(Eo),n.__h=[]}catch(o){
n.__h=[],we.__e(o,e.__v)}}}while(To.length)}we.__b=function(e){ke=null,Jr&&Jr(e)},we.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),Qr&&Qr(e,n)},we.__r=
function(e){Vr&&Vr(e),kt=0;var n=(ke=e.__c).__H;n&&(So==ke?ke.__h=[]:(n.__h.some(on),n.__h.some(Eo),kt=0),n.__h=[],n.__.some(function(o){o.__N&&(o.__=o.__N),o.u=
o.__N=void 0})),So=ke},we.diffed=function(e){Gr&&Gr(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&Xr(es.push(n)),n.__H.__.some(function(o){o.u&&(o.__H=o.u)})),So=
ke=null},we.__c=function(e,n){n.some(function(o){try{o.__h.some(on),o.__h=o.__h.filter(function(r){return!r.__||Eo(r)})}catch(r){o.__h=[function(){throw r}]}}),
zr&&zr(e,n)},we.unmount=function(e){Yr&&Yr(e);var n,o,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.
__c.__P);)o=o.__;o=o&&o.__c}s.__P=o,Xr(To.push(s))}else on(s)}catch(a){n=a}}),r.__H=void 0,n&&we.__e(n,r.__v))};var Zr=typeof requestAnimationFrame=="function";
function el(e){var n,o=function(){clearTimeout(r),Zr&&cancelAnimationFrame(n),setTimeout(e)},r=setTimeout(o,35);Zr&&(n=requestAnimationFrame(o))}function Xr(e){
e!=1&&Kr==we.requestAnimationFrame||((Kr=we.requestAnimationFrame)||el)(Xi)}function on(e){var n=ke,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),ke=n}function Eo(e){
var n=ke;e.__c=e.__(),ke=n}function Mo(e,n){return!e||e.length!=n.length||n.some(function(o,r){return!Co(o,e[r])})}function ts(e,n){return typeof n=="function"?
n(e):n}var tl=Symbol.for("preact-signals");function Fn(){if(tt>1)tt--;else{var e,n=!1;for((function(){var s=Bn;for(Bn=void 0;s!==void 0;){var a=s.S;if(a.v===s.v)for(var i=a.
t;i!==void 0;i=i.x)i.i===s.i&&(i.i=a.i);s=s.o}})();an!==void 0;){var o=an;for(an=void 0,In++;o!==void 0;){var r=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&os(o))try{o.
c()}catch(s){n||(e=s,n=!0)}o=r}}if(In=0,tt--,n)throw e}}function Dt(e){if(tt>0)return e();Ao=++nl,tt++;try{return e()}finally{Fn()}}var sn,me=void 0;function ln(e){
var n=me,o=sn;me=void 0,sn=void 0;try{return e()}finally{me=n,sn=o}}var an=void 0,tt=0,In=0,nl=0,Ao=0,Bn=void 0,qn=0;function ns(e){if(me!==void 0){var n=e.n;if(n===
void 0||n.t!==me)return n={i:0,S:e,p:me.s,n:void 0,t:me,e:void 0,x:void 0,r:n},me.s!==void 0&&(me.s.n=n),me.s=n,e.n=n,32&me.f&&e.S(n),n;if(n.i===-1)return n.i=0,
n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=me.s,n.n=void 0,me.s.n=n,me.s=n),n}}function Ce(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=
0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}Ce.prototype.brand=tl;Ce.prototype.h=function(){return!0};Ce.prototype.S=function(e){var n=this,o=this.
t;o!==e&&e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:ln(function(){var r;(r=n.W)==null||r.call(n)}))};Ce.prototype.U=function(e){var n=this;if(this.t!==void 0){
var o=e.e,r=e.x;o!==void 0&&(o.x=r,e.e=void 0),r!==void 0&&(r.e=o,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&ln(function(){var s;(s=n.Z)==null||s.call(n)}))}};
Ce.prototype.subscribe=function(e){var n=this;return Ve(function(){var o=n.value;ln(function(){return e(o)})},{name:"sub"})};Ce.prototype.valueOf=function(){return this.
value};Ce.prototype.toString=function(){return this.value+""};Ce.prototype.toJSON=function(){return this.value};Ce.prototype.peek=function(){var e=this;return ln(
function(){return e.value})};Object.defineProperty(Ce.prototype,"value",{get:function(){var e=ns(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==
this.v){if(In>100)throw new Error("Cycle detected");(function(o){tt!==0&&In===0&&o.l!==Ao&&(o.l=Ao,Bn={S:o,v:o.v,i:o.i,o:Bn})})(this),this.v=e,this.i++,qn++,tt++;
try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{Fn()}}}});function K(e,n){return new Ce(e,n)}function os(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||
!n.S.h()||n.S.i!==n.i)return!0;return!1}function rs(e){for(var n=e.s;n!==void 0;n=n.n){var o=n.S.n;if(o!==void 0&&(n.r=o),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}
function ss(e){for(var n=e.s,o=void 0;n!==void 0;){var r=n.p;n.i===-1?(n.S.U(n),r!==void 0&&(r.n=n.n),n.n!==void 0&&(n.n.p=r)):o=n,n.S.n=n.r,n.r!==void 0&&(n.r=
void 0),n=r}e.s=o}function _t(e,n){Ce.call(this,void 0,n),this.x=e,this.s=void 0,this.g=qn-1,this.f=4}_t.prototype=new Ce;_t.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===qn))return!0;if(this.g=qn,this.f|=1,this.i>0&&!os(this))return this.f&=-2,!0;var e=me;try{rs(this),me=
this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return me=e,ss(this),this.f&=-2,!0};
_t.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}Ce.prototype.S.call(this,e)};_t.prototype.U=function(e){if(this.
t!==void 0&&(Ce.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};_t.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(_t.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=ns(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function xt(e,n){return new _t(e,n)}function as(e){var n=e.j;if(e.j=void 0,typeof n==
"function"){tt++;var o=me;me=void 0;try{n()}catch(r){throw e.f&=-2,e.f|=8,Po(e),r}finally{me=o,Fn()}}}function Po(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=
void 0,e.s=void 0,as(e)}function ol(e){if(me!==this)throw new Error("Out-of-order effect");ss(this),me=e,this.f&=-2;try{8&this.f&&Po(this)}finally{Fn()}}function It(e,n){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,sn&&sn.push(this)}It.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};It.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,as(this),rs(this),tt++;var e=me;return me=this,ol.bind(this,e)};It.prototype.N=function(){2&this.f||(this.f|=2,this.u=an,an=this)};It.prototype.d=function(){
this.f|=8,1&this.f||Po(this)};It.prototype.dispose=function(){this.d()};function Ve(e,n){var o=new It(e,n);try{o.c()}catch(s){throw o.d(),s}var r=o.d.bind(o);return r[Symbol.
dispose]=r,r}var No,un,jn,rl=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,is=[],ls=[];Ve(function(){No=this.N})();function Bt(e,n){oe[e]=n.bind(null,oe[e]||function(){})}
function cn(e){if(jn){var n=jn;jn=void 0,n()}jn=e&&e.S()}function cs(e){var n=this,o=e.data,r=qt(o);r.name="ReactiveDom",r.value=o;var s=Je(function(){for(var l=n,
u=n.__v;u=u.__;)if(u.__c){u.__c.__$f|=4;break}var d=xt(function(){var m=r.value.value;return m===0?0:m===!0?"":m||""}),c=xt(function(){return!Array.isArray(d.value)&&
!vo(d.value)}),p=Ve(function(){if(this.N=us,c.value){var m=d.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=m)}}),f=n.__$u.d;return n.__$u.d=function(){
p(),f.call(this)},[c,d]},[]),a=s[0],i=s[1];return a.value?i.peek():i.value}cs.displayName="ReactiveTextNode";Object.defineProperties(Ce.prototype,{constructor:{
configurable:!0,value:Ln(_,null).constructor},type:{configurable:!0,value:cs},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.
value}}}}},__b:{configurable:!0,value:1}});Bt("__b",function(e,n){if(cn(),un=void 0,typeof n.type=="string"){var o,r=n.props;for(var s in r)if(s!=="children"){var a=r[s];
a instanceof Ce&&(o||(n.__np=o={}),o[s]=a,r[s]=a.peek())}}e(n)});Bt("__r",function(e,n){if(e(n),n.type!==_){cn();var o,r=n.__c;r&&(r.__$f&=-2,(o=r.__$u)===void 0&&
(r.__$u=o=(function(s,a){var i;return Ve(function(){i=this},{name:a}),i.c=s,i})((function(s){return function(){var a;rl&&((a=this.y)==null||a.call(this)),s.__$f|=
1,s.setState({})}})(r),typeof n.type=="function"?n.type.displayName||n.type.name:""))),un=r,cn(o)}});Bt("__e",function(e,n,o,r){cn(),un=void 0,e(n,o,r)});Bt("di\
ffed",function(e,n){cn(),un=void 0;var o;if(typeof n.type=="string"&&(o=n.__e)){var r=n.__np,s=n.props,a=o.U;if(a)for(var i in a){var l=a[i];l===void 0||r&&i in
r||(l.d(),a[i]=void 0)}if(r){a||(a={},o.U=a);for(var u in r){var d=a[u],c=r[u];d===void 0?(d=sl(o,u,c,s),a[u]=d):d.o(c,s)}}}e(n)});function sl(e,n,o,r){var s=n in
e&&e.ownerSVGElement===void 0,a=K(o);return{o:function(i,l){a.value=i,r=l},d:Ve(function(){this.N=us;var i=a.value.value;r[n]!==i&&(r[n]=i,s?e[n]=i:i!=null&&(i!==
!1||n[4]==="-")?e.setAttribute(n,i):e.removeAttribute(n))})}}Bt("unmount",function(e,n){if(typeof n.type=="string"){var o=n.__e;if(o){var r=o.U;if(r){o.U=void 0;
for(var s in r){var a=r[s];a&&a.d()}}}var i=n.__np;if(i){var l=n.props;for(var u in i)l[u]=i[u]}n.__np=void 0}else{var d=n.__c;if(d){d.__$f|=8;var c=d.__$u;c&&(d.
__$u=void 0,c.d())}}e(n)});Bt("__h",function(e,n,o,r){r<3&&(n.__$f|=2),e(n,o,r)});ct.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var o=this.
__$u,r=o&&o.s!==void 0;for(var s in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var a=2&this.__$f;if(!(r||a||4&this.__$f)||1&this.__$f)return!0}else if(!(r||
4&this.__$f)||3&this.__$f)return!0;for(var i in e)if(i!=="__source"&&e[i]!==this.props[i])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function qt(e,n){
return Je(function(){return K(e,n)},[])}var al=typeof requestAnimationFrame>"u"?setTimeout:function(e){var n=function(){clearTimeout(o),cancelAnimationFrame(r),e()},o=setTimeout(n,35),r=requestAnimationFrame(
n)},il=function(e){queueMicrotask(function(){queueMicrotask(e)})};function ll(){Dt(function(){for(var e;e=is.shift();)No.call(e)})}function cl(){is.push(this)===
1&&(oe.requestAnimationFrame||al)(ll)}function ul(){Dt(function(){for(var e;e=ls.shift();)No.call(e)})}function us(){ls.push(this)===1&&(oe.requestAnimationFrame||
il)(ul)}function ds(e,n){var o=Y(e);o.current=e;var r=un;D(function(){return Ve(function(){if(this.N=cl,!(r&&8&r.__$f))return o.current()},n)},[])}var dl="1.115",Oo="corten.key",Te=class extends Error{constructor(o,r,s,a,i){super(r);this.status=o;this.requestId=s;this.retryAfter=a;this.body=i}status;requestId;retryAfter;body;name="\
ApiError";get passes(){return this.retryAfter!==null}},dt=K(!1),Wn="the service does not answer",pl="/corten/v1/session",pt=K(!1),We=K(0);function fl(e){return btoa(
String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/","_").replaceAll("=","")}function Lo(){let e=localStorage.getItem(Oo);if(e!==null&&e.length===43)return e;
let n=fl(crypto.getRandomValues(new Uint8Array(32)));return localStorage.setItem(Oo,n),n}function ps(){localStorage.removeItem(Oo)}function ml(e={}){return{"X-O\
penStack-Ironic-API-Version":dl,"X-Corten-Key":Lo(),...e}}async function Ft(e,n={}){let o=n.body===void 0?null:JSON.stringify(n.body),r={Accept:"application/jso\
n",...n.headers};o!==null&&(r["Content-Type"]="application/json");let s;try{s=await fetch(e,{method:n.method??"GET",headers:ml(r),body:o,signal:n.signal??null,credentials:"\
same-origin",cache:"no-store"})}catch(a){throw a instanceof DOMException&&a.name==="AbortError"?a:new Te(0,"The service does not answer.",null,null,null)}if(!s.
ok&&s.status!==304)throw await hl(s);return s}async function ne(e,n){return await(await Ft(e,n===void 0?{}:{signal:n})).json()}async function j(e,n,o){if(dt.value&&
n!==pl)throw new Te(0,"The connection to the service is lost; nothing was asked for.",null,null,null);let s=await(await Ft(n,o===void 0?{method:e}:{method:e,body:o})).
text();return s===""?null:JSON.parse(s)}async function hl(e){e.status===401&&(pt.value=!0);let n=e.headers.get("x-openstack-request-id"),o=e.headers.get("x-cort\
en-retry-after"),r=null,s="";try{s=await e.text(),r=JSON.parse(s)}catch{}let a=Ro(r)??(s.length>0&&s.length<300?s:`The service answered ${e.status}.`);return new Te(
e.status,a,n,o===null?null:Number(o),r)}function Ro(e){if(typeof e!="object"||e===null)return null;let n=e,o=n.error_message??n.error??n.faultstring;if(typeof o==
"string")try{return Ro(JSON.parse(o))??o}catch{return o}if(typeof o=="object")return Ro(o);let r=n.message;return typeof r=="string"?r:null}var C=encodeURIComponent;var Ge=K(Date.now());window.setInterval(()=>{document.hidden||(Ge.value=Date.now())},1e3);var fs=[["d",86400],["h",3600],["min",60],["s",1]];function he(e){if(!Number.
isFinite(e))return"\u2013";if(e<1)return"0 s";let n=Math.floor(e);for(let[o,[r,s]]of fs.entries()){if(n<s)continue;let a=Math.floor(n/s),i=fs[o+1],l=i===void 0?
0:Math.floor(n%s/i[1]);return i===void 0||a>=10||l===0?`${a} ${r}`:`${a} ${r} ${l} ${i[0]}`}return"0 s"}function Ee(e,n=Ge.value){return e==null?"\u2013":he(Math.
max(0,(n-Date.parse(e))/1e3))}function $t(e){if(e==null)return"";let n=new Date(e);return Number.isNaN(n.getTime())?e:n.toISOString().replace("T"," ").replace(/\.\d+Z$/,
" UTC")}function hs(e){if(e==null)return"\u2013";let n=new Date(e),o=new Date(Ge.value),r=i=>String(i).padStart(2,"0"),s=`${r(n.getHours())}:${r(n.getMinutes())}`;
return n.toDateString()===o.toDateString()?s:`${n.getFullYear()}-${r(n.getMonth()+1)}-${r(n.getDate())} ${s}`}var ms=["B","KB","MB","GB","TB","PB"];function _e(e){
if(e==null)return"\u2013";let n=e,o=0;for(;n>=1e3&&o<ms.length-1;)n/=1e3,o+=1;return`${o===0||n>=100?Math.round(n):n.toFixed(1)} ${ms[o]}`}var gl=new Intl.NumberFormat(
"en");function L(e){return gl.format(e)}function Re(e,n){return n<=0?0:Math.max(0,Math.min(100,e/n*100))}function Z(e,n,o=n+"s"){return`${L(e)} ${e===1?n:o}`}var qe={enroll:{look:"ready",target:null,verbs:{manage:"verifying"}},verifying:{look:"working",target:"manageable",verbs:{}},manageable:{look:"ready",target:null,
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
tive"}}};var bl=Symbol.for("pv"),vl=0;function t(e,n,o,r,s,a){n||(n={});var i,l,u=n;if("ref"in u&&typeof e!="function")for(l in u={},n)l=="ref"?i=n[l]:u[l]=n[l];var d={type:e,props:u,key:o,ref:i,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:bl,__v:--vl,__i:-1,__u:0};return(s||a)&&(d.__source=s,d.__self=a),oe.vnode&&oe.vnode(d),d}var dn=[{look:"failed",word:"failed"},{look:"working",word:"working"},{look:"waiting",word:"waiting"},{look:"held",word:"held"},{look:"ready",word:"ready"},{look:"\
in_use",word:"in use"}];function jt(e){return qe[e]?.look??"ready"}function V({look:e}){return t("svg",{class:`mark mark-${e}`,viewBox:"0 0 12 12",width:"12",height:"\
12","aria-hidden":"true",children:[e==="ready"&&t("circle",{cx:"6",cy:"6",r:"4",fill:"none",stroke:"currentColor","stroke-width":"2"}),e==="in_use"&&t("circle",
{cx:"6",cy:"6",r:"5",fill:"currentColor"}),e==="working"&&t("path",{d:"M6 1a5 5 0 1 1-5 5",fill:"none",stroke:"currentColor","stroke-width":"2","stroke-linecap":"\
round"}),e==="waiting"&&t("path",{d:"M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M6 3.4V6l1.8 1.4",fill:"none",stroke:"currentColor","stroke-width":"1.5","str\
oke-linecap":"round"}),e==="held"&&t("path",{d:"M3 1.5h2v9H3zM7 1.5h2v9H7z",fill:"currentColor"}),e==="failed"&&t("path",{d:"M2 2l8 8M10 2l-8 8",stroke:"current\
Color","stroke-width":"2.4","stroke-linecap":"round"})]})}function ft({state:e,target:n,maintenance:o}){let r=jt(e);return t("span",{class:`state look-${r}`,children:[
t(V,{look:r}),t("span",{class:"state-word",children:e}),n!=null&&n!==e&&t("span",{class:"state-target",children:["\u2192 ",n]}),o===!0&&t("span",{class:"chip ch\
ip-hatch",children:"maintenance"})]})}var yl={search:"M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",plus:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 \
8",chevron:"M6 3.5 10.5 8 6 12.5",copy:"M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",terminal:"M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3",warn:"M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11\
.8v.2",check:"M3 8.5l3.2 3.2L13 5",more:"M3.5 8h.1M8 8h.1M12.5 8h.1",refresh:"M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",pause:"M5.5 3.5v9M10.5 3.5v9",play:"M5 3.5 12.5\
 8 5 12.5z",down:"M3.5 6 8 10.5 12.5 6",up:"M3.5 10 8 5.5 12.5 10",lock:"M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",power:"M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0",link:"\
M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",download:"M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10",expand:"M2.5 6v-3.5H6M1\
0 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",sun:"M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1\
 11.9l-.7.7",moon:"M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5",key:"M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6 2.5 13.5M4.5 11.5l1.5 1.5"};function A({
name:e}){return t("svg",{class:"icon",viewBox:"0 0 16 16",width:"16",height:"16","aria-hidden":"true",children:t("path",{d:yl[e],fill:"none",stroke:"currentColo\
r","stroke-width":"1.6","stroke-linecap":"round","stroke-linejoin":"round"})})}var pn=K([]),Do=K(""),wl=0;function F(e){Do.value=Do.peek()===e?e+" ":e,gs({kind:"done",title:e,text:null,requestId:null})}function G(e,n){let o=n instanceof Error?
n.message:String(n),r=n instanceof Te?n.requestId:null;gs({kind:"error",title:e,text:o,requestId:r})}function gs(e){let n=++wl;pn.value=[...pn.peek().slice(-4),
{...e,id:n}],e.kind==="done"&&window.setTimeout(()=>bs(n),4e3)}function bs(e){pn.value=pn.peek().filter(n=>n.id!==e)}function vs(){return t(_,{children:[t("div",
{class:"hidden","aria-live":"polite",children:Do.value}),t("div",{class:"notices",children:pn.value.map(e=>t("div",{class:`notice notice-${e.kind}`,role:e.kind===
"error"?"alert":void 0,children:[t(A,{name:e.kind==="error"?"warn":"check"}),t("div",{class:"notice-words",children:[t("p",{class:"notice-title",children:e.title}),
e.text!==null&&t("p",{children:e.text}),e.requestId!==null&&t("p",{class:"faint",children:["Request ",t("code",{children:e.requestId})]})]}),t("button",{type:"b\
utton",class:"icon-button","aria-label":"Dismiss",onClick:()=>bs(e.id),children:t(A,{name:"close"})})]},e.id))})]})}function b(e){let{children:n,onClick:o,kind:r="plain",type:s="button",label:a,small:i,pressed:l,busy:u}=e,c=e.local!==!0&&(r==="main"||r==="danger"||e.why!==void 0||
u!==void 0)&&dt.value?Wn:e.why,p=c!=null||u===!0;return t("button",{type:s,class:`button button-${r}${i===!0?" button-small":""}`,"aria-disabled":p,"aria-label":a,
"aria-pressed":l,"aria-expanded":e.expanded,"aria-busy":u,autofocus:e.autofocus,title:c??a,onClick:f=>{if(p){f.preventDefault(),c!=null&&F(`Not now: ${c}.`);return}
o?.()},children:n})}function St({text:e}){return t(_,{children:e.split("`").map((n,o)=>o%2===1?t("code",{children:n},o):n)})}function fe({at:e,ago:n=!1}){return e==
null?t("span",{class:"faint",children:"\u2013"}):t("time",{dateTime:e,title:$t(e),children:[Ee(e),n?" ago":""]})}function Le({at:e}){return e==null?t("span",{class:"\
faint",children:"\u2013"}):t("time",{dateTime:e,title:$t(e),children:hs(e)})}function Ae({lines:e=3}){let[n,o]=g(!1);return D(()=>{let r=window.setTimeout(()=>o(
!0),150);return()=>window.clearTimeout(r)},[]),t("div",{class:"skeleton",role:"status","aria-label":"Loading",children:n&&Array.from({length:e},(r,s)=>t("div",{
class:"skeleton-line"},s))})}function W({title:e,children:n}){return t("div",{class:"empty",children:[t("p",{class:"empty-title",children:e}),n!==void 0&&t("div",
{class:"empty-text",children:n})]})}function be({error:e,retry:n}){return t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:[t(
A,{name:"warn"})," ",e.message]}),t("p",{class:"faint",children:[e.status>0&&t(_,{children:["Status ",e.status,". "]}),e.requestId!==null&&t(_,{children:["Reque\
st ",t("code",{children:e.requestId}),"."]})]}),n!==void 0&&t(b,{small:!0,onClick:n,children:"Try again"})]})}function H({doc:e,lines:n,children:o}){let r=e.data.
value,s=e.error.value;return r!==void 0?t(_,{children:o(r)}):s!==void 0?t(be,{error:s,retry:e.reload}):t(Ae,{lines:n??3})}function N(e){let n=et(),o=e.level===3?
"h3":"h2";return t("section",{class:`panel ${e.class??""}`,"aria-labelledby":n,children:[t("header",{class:"panel-head",children:[t(o,{id:n,class:"panel-title",
children:e.title}),e.actions!==void 0&&t("div",{class:"panel-actions",children:e.actions})]}),t("div",{class:"panel-body",children:e.children})]})}function ge({
rows:e,all:n=!1}){let o=e.filter(([,r])=>n||r!=null&&r!==""&&r!==!1);return t("dl",{class:"facts",children:o.map(([r,s])=>t("div",{class:"fact",children:[t("dt",
{children:r}),t("dd",{children:s==null||s===""?t("span",{class:"faint",children:"\u2013"}):s})]},r))})}function q(e){let n=et();return t("div",{class:`field${e.
error?" field-wrong":""}`,children:[t("label",{for:n,children:e.label}),e.children(n,`${n}-hint`),t("div",{class:"field-hint",id:`${n}-hint`,children:e.error?t(
"span",{class:"wrong",children:e.error}):e.hint})]})}function De({value:e,label:n}){return t("div",{class:"meter",role:"progressbar","aria-valuenow":Math.round(
e),"aria-valuemin":0,"aria-valuemax":100,"aria-label":n,children:t("div",{class:"meter-fill",style:{width:`${e}%`}})})}function Wt({text:e,label:n}){let[o,r]=g(
!1),s=Y(void 0);return D(()=>()=>window.clearTimeout(s.current),[]),t("button",{type:"button",class:"icon-button","aria-label":n,title:n,onClick:()=>{navigator.
clipboard?.writeText(e).then(()=>{r(!0),F("Copied."),s.current=window.setTimeout(()=>r(!1),1500)},()=>F("The browser does not let this page copy."))},children:t(
A,{name:o?"check":"copy"})})}var Un=class extends ct{state={error:null};static getDerivedStateFromError(n){return{error:n}}render(){let n=this.state.error;return n===null?this.props.children:
t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:["This screen has a defect: ",n.message]}),t(b,{small:!0,onClick:()=>this.setState(
{error:null}),children:"Show it again"})]})}};var kl=100,_l=1e3,xl=15e3,$l=4e4,jo=2e3,Sl=3e4,Cl=2e3,xe=K("connecting");xe.subscribe(e=>dt.value=e==="lost");var hn=K(Date.now()),Ie=K(0),Tt=K(0),Io=new Set;function mt(e){
return Io.add(e),()=>Io.delete(e)}var Hn=[],ws,Ct,mn=jo,Kn,ys,Bo,qo=!1,fn=0;function Tl(){ws=void 0;let e=Hn;Hn=[];for(let n of[...Io])n(e)}function El(e){e.cursor<=
Ie.value||(Ie.value=e.cursor,Hn.push(e),ws??=window.setTimeout(Tl,kl))}function ks(){if(qo)return;qo=!0,document.addEventListener("visibilitychange",Ml),document.
hidden?xe.value="paused":Kn=window.setTimeout(Ht,_l);let e=We.value;We.subscribe(n=>{n>e&&Jn(),e=n})}function Ut(e){!qo||Ct!==void 0||Ie.value>0||xe.value!=="co\
nnecting"||(Ie.value=e,window.clearTimeout(Kn),Ht())}function Ml(){window.clearTimeout(ys),document.hidden?ys=window.setTimeout(()=>{xe.value="paused",gn()},xl):
(xe.value==="paused"||xe.value==="lost")&&Jn()}function gn(){window.clearTimeout(Kn),window.clearTimeout(Bo),Ct?.abort(),Ct=void 0}function Jn(){gn(),mn=jo,document.
hidden?xe.value="paused":Ht()}function Fo(){xe.value!=="paused"&&(xe.value="lost",gn(),Kn=window.setTimeout(Ht,mn),mn=Math.min(mn*2,Sl))}function _s(){hn.value=
Date.now(),window.clearTimeout(Bo),Bo=window.setTimeout(Fo,$l)}async function Ht(){let e=new AbortController;Ct=e,xe.value!=="lost"&&(xe.value="connecting");let n=Ie.
value>0,o={Accept:"text/event-stream"};n&&(o["Last-Event-ID"]=String(Ie.value));try{let r=await Ft("/corten/v1/events",{headers:o,signal:e.signal}),s=xe.value===
"lost";xe.value="live",mn=jo,_s(),(!n||s)&&(Tt.value+=1),fn=0,await Al(r,e,n),Ct===e&&Fo()}catch(r){if(Ct!==e)return;if(r instanceof Te&&r.status===410){Ie.value=
0,Ht();return}if(r instanceof Te&&r.status===401){xe.value="paused",gn();return}Fo()}}async function Al(e,n,o){let r=e.body?.getReader();if(r===void 0)return;let s=new TextDecoder,
a="",i="",l="";for(;;){let{value:u,done:d}=await r.read();if(d||Ct!==n)return;_s(),a+=s.decode(u,{stream:!0});let c=a.split(`
`);a=c.pop()??"";for(let p of c){let f=p.endsWith("\r")?p.slice(0,-1):p;f.startsWith("id:")?i=f.slice(3).trim():f.startsWith("data:")?l+=f.slice(5).trim():f===""&&
(l!==""?(El(JSON.parse(l)),fn+=1):i!==""&&Number(i)>Ie.value&&(Ie.value=Number(i)),i=l="")}if(o&&fn>Cl){Hn=[],Ie.value=0,gn(),Ht();return}o&&fn>0&&window.setTimeout(
()=>fn=0,1e3)}}var Vn="/ui",Gn=K(Wo());function Wo(){return{path:(location.pathname.startsWith(Vn)?location.pathname.slice(Vn.length):"/").split("/").filter(n=>n!=="").map(Pl),
query:new URLSearchParams(location.search)}}function Pl(e){try{return decodeURIComponent(e)}catch{return e}}addEventListener("popstate",()=>{Gn.value=Wo()});var Fe=xt(
()=>Gn.value.path),Q=xt(()=>Gn.value.query);function E(e,n={}){let o=new URLSearchParams;for(let[a,i]of Object.entries(n))i!=null&&i!==""&&o.set(a,i);let r=o.toString(),
s=e.map(encodeURIComponent).join("/");return`${Vn}/${s}${r===""?"":"?"+r}`}function xs(e){return E([Fe.peek()[0]??"",e],Object.fromEntries(Q.peek()))}function X(e,n=!1){
e!==location.pathname+location.search&&(Dt(()=>{n?history.replaceState(null,"",e):history.pushState(null,"",e),Gn.value=Wo()}),n||scrollTo(0,0))}function U(e,n=!1){
let o=new URLSearchParams(location.search);for(let[s,a]of Object.entries(e))a===null||a===""?o.delete(s):o.set(s,a);let r=o.toString();X(location.pathname+(r===
""?"":"?"+r),n)}function Uo(e){if(e.defaultPrevented||e.button!==0||e.metaKey||e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target instanceof Element?e.target.
closest("a"):null,o=n?.getAttribute("href");n===null||o===null||o===void 0||!o.startsWith(Vn+"/")||n.target!==""||n.hasAttribute("download")||(e.preventDefault(),
X(o))}function $e(e){return e instanceof Te?e:new Te(0,e instanceof Error?e.message:String(e),null,null,null)}function O(e,n={}){let o=Je(()=>{let u=K(void 0),d=K(void 0),
c=K(!0);return{data:u,error:d,loading:c}},[]),r=qt(e),s=qt(0);r.peek()!==e&&(r.value=e,n.keep!==!0&&(o.data.value=void 0),o.error.value=void 0,o.loading.value=e!==
null),ds(()=>{s.value,Tt.value,We.value;let u=r.value;if(u===null){o.loading.value=!1;return}let d=new AbortController;return ne(u,d.signal).then(c=>{o.data.value=
c;let p=c?.cursor;typeof p=="number"&&Ut(p),o.error.value=void 0,o.loading.value=!1},c=>{d.signal.aborted||(o.error.value=$e(c),o.loading.value=!1)}),()=>d.abort()});
let{every:a,on:i,atMost:l=500}=n;return D(()=>{if(a===void 0)return;let u=window.setInterval(()=>{!document.hidden&&xe.peek()!=="lost"&&(s.value+=1)},a);return()=>window.
clearInterval(u)},[a]),D(()=>{if(i===void 0)return;let u,d=0,c=mt(p=>{if(u!==void 0||!p.some(i))return;let f=Math.max(0,d+l-Date.now());u=window.setTimeout(()=>{
u=void 0,d=Date.now(),s.value+=1},f)});return()=>{c(),window.clearTimeout(u)}},[e,l,i===void 0]),{...o,reload:()=>{s.value+=1}}}function de({title:e,onClose:n,children:o,foot:r,wide:s,class:a}){let i=et(),l=Y(null),u=Y(!1);return Ke(()=>{let d=l.current,c=document.activeElement;return d!==
null&&!d.open&&d.showModal(),()=>{u.current=!0,d?.close(),c instanceof HTMLElement&&c.isConnected&&c.focus()}},[]),t("dialog",{ref:l,class:`dialog${s===!0?" dia\
log-wide":""} ${a??""}`,"aria-labelledby":i,onCancel:d=>{d.preventDefault(),n()},onClose:()=>{u.current||(n(),requestAnimationFrame(()=>{let d=l.current;!u.current&&
d!==null&&!d.open&&d.showModal()}))},onClick:d=>{d.target===l.current&&n()},children:t("div",{class:"dialog-inside",children:[t("header",{class:"dialog-head",children:[
t("h2",{id:i,children:e}),t(b,{kind:"quiet",small:!0,label:"Close",onClick:n,children:"\u2715"})]}),t("div",{class:"dialog-body",children:o}),r!==void 0&&t("foo\
ter",{class:"dialog-foot",children:r})]})})}function ze(e){let[n,o]=g(""),r=n.trim()===e.word;return t(de,{title:e.title,onClose:e.onClose,foot:t(_,{children:[t(
b,{onClick:e.onClose,children:"Cancel"}),t(b,{kind:"danger",why:r?null:`type ${e.word} first`,onClick:e.onYes,children:e.action})]}),children:[t("div",{children:e.
text}),e.children,t("form",{onSubmit:s=>{s.preventDefault(),r&&e.onYes()},children:t(q,{label:`Type ${e.word} to go on`,children:s=>t("input",{id:s,class:"input",
autofocus:!0,autocomplete:"off",spellcheck:!1,value:n,onInput:a=>o(a.currentTarget.value)})})})]})}function Nl({commands:e,onClose:n}){return t(de,{title:"The s\
ame by command",onClose:n,children:[t(Pe,{label:"corten",text:e.corten}),t(Pe,{label:"curl",text:e.curl})]})}function Pe({label:e,text:n}){return t("div",{class:"\
command",children:[t("span",{class:"command-label",children:e}),t("code",{class:"command-text",tabIndex:0,children:n}),t(Wt,{text:n,label:`Copy the ${e} command`})]})}
function le({commands:e}){let[n,o]=g(!1);return t(_,{children:[t(b,{kind:"quiet",small:!0,onClick:()=>o(!0),children:"Show command"}),n&&t(Nl,{commands:e,onClose:()=>o(
!1)})]})}var ae=K(void 0);async function zn(){try{ae.value=await ne("/corten/v1/me"),pt.value=!1}catch{}}async function $s(e){await j("POST","/corten/v1/session",e),await zn(),
pt.value=!1,We.value+=1,Ts("in")}async function Ss(){await j("DELETE","/corten/v1/session"),ps(),ae.value=void 0,pt.value=!0,Ts("out")}function Yn(e){return e===
void 0?"":e.user_name??e.user??(e.mode==="noauth"?"everybody":"signed in")}var Cs=new BroadcastChannel("corten.session");function Ts(e){Cs.postMessage(e)}Cs.onmessage=
e=>{e.data==="out"?(ae.value=void 0,pt.value=!0):zn().then(()=>We.value+=1)};var ht=[{verb:"manage",label:"Manage",target:"manage",command:"manage",about:"check that its BMC can be controlled"},{verb:"provide",label:"Provide",target:"pro\
vide",command:"provide",about:"clean it and offer it for use"},{verb:"inspect",label:"Inspect",target:"inspect",command:"inspect",about:"find out what hardware \
it has"},{verb:"adopt",label:"Adopt",target:"adopt",command:"adopt",about:"take it over as it is, in use",asks:!0},{verb:"deploy",label:"Deploy",target:"active",
command:"deploy",about:"write an image and boot it",asks:!0},{verb:"rebuild",label:"Rebuild",target:"rebuild",command:"rebuild",about:"write the image again",asks:!0,
destroys:!0},{verb:"delete",label:"Undeploy",target:"deleted",command:"undeploy",about:"take it back and clean it",destroys:!0},{verb:"clean",label:"Clean",target:"\
clean",command:"clean",about:"run clean steps",asks:!0,destroys:!0},{verb:"rescue",label:"Rescue",target:"rescue",command:"rescue",about:"boot a rescue system",
asks:!0},{verb:"unrescue",label:"Unrescue",target:"unrescue",command:"unrescue",about:"boot its own system again"},{verb:"service",label:"Service",target:"servi\
ce",command:"service",about:"run service steps while in use",asks:!0},{verb:"abort",label:"Abort",target:"abort",command:"abort",about:"stop at the end of this \
step"},{verb:"unhold",label:"Go on",target:"unhold",command:"unhold",about:"go on after the hold"}],Es=[{label:"Power on",target:"power on",command:"power on"},
{label:"Power off",target:"power off",command:"power off",destroys:!0},{label:"Reboot",target:"rebooting",command:"reboot",destroys:!0},{label:"Soft power off",
target:"soft power off",command:"power off --soft"},{label:"Soft reboot",target:"soft rebooting",command:"reboot --soft"}],Ol=["deploy","rebuild","rescue","prov\
ide","clean","service"],Rl=["rebuild","delete"],Ne={provision:"baremetal:node:set_provision_state",power:"baremetal:node:set_power_state",maintain:"baremetal:no\
de:set_maintenance",resume:"baremetal:node:clear_maintenance",update:"baremetal:node:update",create:"baremetal:node:create",remove:"baremetal:node:delete",console:"\
baremetal:node:get_console",switchConsole:"baremetal:node:set_console_state"};function ce(e,n){return dt.value?Wn:e===void 0||e.is_open||e.rules.some(o=>o===n||
o===`${n}:self_owned_node`)?null:`you lack the rule ${n}`}function Et(e,n){return e?.own_rules?.includes(n)===!0&&!dt.value?null:ce(e,n)}function Kt(e,n,o){let r=ce(
o,Ne.provision);return r!==null?r:qe[e.provision_state]?.verbs[n.verb]===void 0?`not from ${e.provision_state}`:e.maintenance&&Ol.includes(n.verb)?"it is in mai\
ntenance":e.protected&&Rl.includes(n.verb)?"it is protected":n.verb==="abort"?null:Ko(e)}function Ko(e){let n=qe[e.provision_state]?.look;return e.reservation!==
null&&(n==="working"||n==="waiting")?`${e.reservation} works on it`:null}var Ho={enroll:"manage",manageable:"provide",available:"deploy",rescue:"unrescue","depl\
oy failed":"deploy","clean failed":"manage","inspect failed":"inspect","adopt failed":"adopt","rescue failed":"rescue","unrescue failed":"unrescue","deploy hold":"\
unhold","clean hold":"unhold","service hold":"unhold"};function Ms(e){return ht.filter(o=>Ll(e,o.verb)).sort((o,r)=>+(r.verb===Ho[e])-+(o.verb===Ho[e]))}function As(e,n){
return Ho[e]===n}function Ll(e,n){return qe[e]?.verbs[n]!==void 0}function re(e){return/^[\w@%+=:,./-]+$/.test(e)?e:`'${e.replaceAll("'","'\\''")}'`}function ee(e,n,o){
let r=["curl","-X",e,re(location.origin+n),"-H",re("X-OpenStack-Ironic-API-Version: 1.115")];return o!==void 0&&r.push("-H",re("Content-Type: application/json"),
"-d",re(JSON.stringify(o))),r.join(" ")}function Ps(){let[e,n]=g(void 0),o=O("/v1/allocations",{every:e}),s=(o.data.value?.allocations??[]).some(d=>d.state==="allocating");s!==(e!==void 0)&&n(s?5e3:void 0);
let[a,i]=g(!1),[l,u]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Allocations"}),t("span",{class:"spri\
ng"}),t(le,{commands:{corten:"corten allocation list",curl:ee("GET","/v1/allocations")}}),t(b,{kind:"main",why:ce(ae.value,"baremetal:allocation:create"),onClick:()=>i(
!0),children:[t(A,{name:"plus"})," Allocate"]})]}),t(H,{doc:o,lines:6,children:d=>d.allocations.length===0?t(W,{title:"No allocations",children:t("p",{children:"\
An allocation asks for any free machine with a resource class and traits, and reserves it."})}):t("div",{class:"panel scroll-x",children:t("table",{class:"table",
children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"wants"}),
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col"})]})}),t("tbody",{children:d.allocations.map(c=>t("tr",{children:[
t("th",{scope:"row",children:c.name??c.uuid.slice(0,8)}),t("td",{children:[t("span",{class:"state",children:[t(V,{look:c.state==="active"?"in_use":c.state==="er\
ror"?"failed":"working"})," ",c.state]}),c.last_error!==null&&t("p",{class:"wrong wrap",children:c.last_error})]}),t("td",{children:[c.resource_class," ",c.traits.
map(p=>t("span",{class:"chip",children:p},p))]}),t("td",{children:c.node_uuid===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:E(["nodes",c.node_uuid]),
children:c.node_uuid.slice(0,8)})}),t("td",{children:t(fe,{at:c.created_at})}),t("td",{children:t(b,{small:!0,kind:"quiet",label:`Delete ${c.name??c.uuid}`,why:Et(
ae.value,"baremetal:allocation:delete"),onClick:()=>u(c),children:"Delete"})})]},c.uuid))})]})})}),a&&t(Dl,{onClose:()=>i(!1),onDone:()=>{i(!1),o.reload()}}),l!==
null&&t(ze,{title:`Delete allocation ${l.name??l.uuid}`,text:t("p",{children:"The machine is free again, if it is not deployed."}),word:l.name??l.uuid.slice(0,8),
action:"Delete",onClose:()=>u(null),onYes:()=>{j("DELETE",`/v1/allocations/${C(l.uuid)}`).then(()=>{u(null),F("The allocation is deleted."),o.reload()},d=>G("It\
 could not be deleted",d))}})]})}function Dl({onClose:e,onDone:n}){let[o,r]=g(""),[s,a]=g(""),[i,l]=g(""),[u,d]=g(""),c=f=>f.split(/[\s,]+/).filter(m=>m!==""),p=async()=>{
try{let f={resource_class:s,...o===""?{}:{name:o},...c(i).length===0?{}:{traits:c(i)},...c(u).length===0?{}:{candidate_nodes:c(u)}};await j("POST","/v1/allocati\
ons",f),F("A machine is being looked for."),n()}catch(f){G("The allocation was refused",f)}};return t(de,{title:"Allocate a machine",onClose:e,foot:t(_,{children:[
t(b,{onClick:e,children:"Cancel"}),t(b,{kind:"main",why:s===""?"a resource class is missing":null,onClick:()=>{p()},children:"Allocate"})]}),children:t("form",{
class:"form",onSubmit:f=>{f.preventDefault(),s!==""&&p()},children:[t(q,{label:"Resource class",children:f=>t("input",{id:f,class:"input",autofocus:!0,value:s,onInput:m=>a(
m.currentTarget.value.trim())})}),t(q,{label:"Name",hint:"Optional.",children:f=>t("input",{id:f,class:"input",value:o,onInput:m=>r(m.currentTarget.value.trim())})}),
t(q,{label:"Traits",hint:"All of them are needed; separated by spaces.",children:f=>t("input",{id:f,class:"input",value:i,onInput:m=>l(m.currentTarget.value)})}),
t(q,{label:"Candidates",hint:"Names or UUIDs; empty for all machines.",children:f=>t("input",{id:f,class:"input",value:u,onInput:m=>d(m.currentTarget.value)})}),
t("button",{type:"submit",hidden:!0})]})})}var Il={dhcp4:"DHCP for IPv4",dhcp6:"DHCP for IPv6",tftp:"TFTP",http:"HTTP"},Jt=100;function Ns(){let e=Q.value.get("q")??"",n=Math.max(0,Number(Q.value.get("fr\
om")??0)||0),r=`/corten/v1/boot?${new URLSearchParams({limit:String(Jt),offset:String(n),...e===""?{}:{q:e}}).toString()}`,s=O(r,{every:3e3,keep:!0}),a=Math.max(
0,...(s.data.value?.conductors??[]).map(i=>Math.max(i.leases_total??0,i.published_total??0)));return t("div",{class:"stack",children:[t("div",{class:"page-head",
children:[t("h1",{children:"Boot services"}),t("span",{class:"spring"}),t(le,{commands:{corten:`corten boot${e===""?"":` --leases --where ${re(e)}`}`,curl:ee("G\
ET",r)}})]}),t("div",{class:"row",children:[t("input",{class:"input filter-wide",type:"search","aria-label":"Filter leases and machines",placeholder:"Filter: MA\
C, address or UUID",value:e,onInput:i=>U({q:i.currentTarget.value,from:null},!0)}),a>Jt&&t("span",{class:"row",children:[t(b,{small:!0,why:n===0?"these are the \
first":null,onClick:()=>U({from:n<=Jt?null:String(n-Jt)}),children:"Back"}),t("span",{class:"faint",children:["from ",L(n+1)," of ",L(a)]}),t(b,{small:!0,why:n+
Jt>=a?"these are the last":null,onClick:()=>U({from:String(n+Jt)}),children:"Further"})]})]}),t(H,{doc:s,lines:8,children:i=>i.conductors.length===0?t(W,{title:"\
No conductor is alive",children:t("p",{children:"Conductors run the boot services."})}):i.conductors.map(l=>t(Bl,{one:l,filtered:e!==""},l.host))})]})}function Bl({
one:e,filtered:n}){let o=e.services??[],r=e.networks??[];return t("section",{class:"stack","aria-label":`Conductor ${e.host}`,children:[t("h2",{children:e.host}),
e.error!==null&&t("p",{class:"wrong",children:["It does not tell: ",e.error]}),e.error===null&&o.length===0&&t(W,{title:"It runs no boot services",children:t("p",
{children:["Machines of this conductor boot from virtual media, their disks or another boot server. Set ",t("code",{children:"[corten] dhcp"}),", ",t("code",{children:"\
tftp_listen"})," or ",t("code",{children:"http_listen"})," to serve them from here."]})}),o.length>0&&t("div",{class:"cards",children:[t(N,{title:"Services",level:3,
children:t("dl",{class:"facts",children:o.map(s=>t("div",{class:"fact",children:[t("dt",{children:Il[s.name]??s.name}),t("dd",{children:[t("code",{children:s.addresses.
join(", ")}),t("p",{class:"faint",children:s.detail})]})]},s.name))})}),r.map(s=>{let a=Re(s.used,s.size);return t(N,{title:`Network ${s.network}`,level:3,children:[
s.first===null?t("p",{class:"faint",children:"Only machines with a fixed address get one here."}):t(_,{children:[t(De,{value:a,label:`Addresses in use: ${Math.round(
a)} %`}),t("p",{class:a>=90?"wrong":"",children:[L(s.used)," of ",L(s.size)," addresses in use",a>=90?": the range is nearly used up":""]}),t("p",{class:"faint",
children:[s.first," to ",s.last,", for ",Ee(new Date(Ge.value-s.lease_seconds*1e3).toISOString())," each"]})]}),t("p",{class:"faint",children:s.interface===null?
"reached by relays":`on ${s.interface}`})]},s.network+(s.interface??""))})]}),o.length>0&&t(ql,{one:e,filtered:n}),o.some(s=>s.name.startsWith("dhcp"))&&t(Fl,{one:e,
filtered:n})]})}function Os({node:e,name:n}){return e===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:E(["nodes",n??e],{tab:"boot"}),children:n??
e.slice(0,8)})}function ql({one:e,filtered:n}){let o=e.published??[];return t(N,{title:`Machines that boot from here \xB7 ${L(e.published_total??0)}`,level:3,children:o.
length===0?t("p",{class:"faint",children:n?"None fits.":"None: a machine is here while it is cleaned, deployed, inspected or rescued over the network."}):t("div",
{class:"scroll-x",role:"region","aria-label":"Machines that boot from here",tabIndex:0,children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"starts"}),t("th",{scope:"col",children:"by"}),t("th",{scope:"col",children:"MAC addresses"}),
t("th",{scope:"col",children:"files"})]})}),t("tbody",{children:o.map(r=>t("tr",{children:[t("th",{scope:"row",children:t(Os,{node:r.node,name:r.name})}),t("td",
{children:r.starts}),t("td",{children:[r.way,", ",r.mode]}),t("td",{children:r.macs.map(s=>t("code",{class:"block",children:s},s))}),t("td",{class:"wrap",children:r.
files.map(s=>t("span",{class:"block",children:[s.name," ",t("code",{class:"faint",children:s.source})]},s.name))})]},r.node))})]})})})}function Fl({one:e,filtered:n}){
let o=e.leases??[];return t(N,{title:`Leases \xB7 ${L(e.leases_total??0)}`,level:3,children:o.length===0?t("p",{class:"faint",children:n?"None fits.":"None: nob\
ody asked for an address lately."}):t("div",{class:"scroll-x",role:"region","aria-label":"Leases",tabIndex:0,children:t("table",{class:"table",children:[t("thea\
d",{children:t("tr",{children:[t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"MAC address"}),t("th",{scope:"col",children:"state"}),t("t\
h",{scope:"col",children:"ends in"}),t("th",{scope:"col",children:"node"})]})}),t("tbody",{children:o.map(r=>t("tr",{children:[t("th",{scope:"row",children:t("c\
ode",{children:r.address})}),t("td",{children:t("code",{class:"block",children:r.mac})}),t("td",{children:t("span",{class:"state",children:[t(V,{look:r.used==="\
leased"?"in_use":r.used==="offered"?"waiting":"failed"})," ",r.used==="declined"?"used by somebody else":r.used]})}),t("td",{children:Ee(new Date(Ge.value).toISOString(),
Date.parse(r.until))}),t("td",{children:t(Os,{node:r.node,name:r.name})})]},r.address))})]})})})}var jl="uuid:*";function Rs(e){let{nodes:n}=e,o=typeof n=="string"?[]:[...n].sort((r,s)=>r[1].localeCompare(s[1],"en",{numeric:!0}));return{action:e.action,arguments:e.arguments,
...typeof n=="string"?{query:n===""?jl:n}:{nodes:o.map(([r])=>r)},waves:e.inWaves?[1,"10%","rest"]:["rest"],...e.mayFail===null?{}:{max_failures:e.mayFail}}}function Ls(e){
return e==="done"||e==="aborted"}function Ds(e){return e==="running"?["pause","abort"]:e==="paused"||e==="stopped"?["resume","abort"]:[]}var Is={running:"Runnin\
g.",paused:"Paused; no further node is touched.",stopped:"Stopped after a failure; no further node is touched.",aborting:"Aborted; nodes at work go on to their \
end.",done:"All done.",aborted:"Aborted."},Jo={waiting:"not yet",asked:"being asked",running:"under way",done:"done",failed:"failed",skipped:"not touched"};function Vo(e){
let{done:n,asked:o,running:r,failed:s,waiting:a,skipped:i}=e.counts;return`${n} done, ${o+r} under way, ${s} failed, ${a+i} not touched.`}var Go="/corten/v1/batches",Bs=500;function Fs(){let e=O(Go,{on:n=>n.kind==="batch"});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[
t("h1",{children:"Batches"}),t("span",{class:"spring"}),t(le,{commands:{corten:"corten batch list",curl:ee("GET",Go)}})]}),t(H,{doc:e,lines:5,children:n=>n.batches.
length===0?t(W,{title:"No batches",children:[t("p",{children:"A batch does one thing with many nodes, in waves. Select nodes in the list of nodes to make one."}),
t("code",{children:"corten batch create provision manage --where state:enroll"})]}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("the\
ad",{children:t("tr",{children:[t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",class:"num",children:"nodes"}),
t("th",{scope:"col",children:"nodes by outcome"}),t("th",{scope:"col",children:"by"}),t("th",{scope:"col",children:"since"})]})}),t("tbody",{children:n.batches.
map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:E(["batches",o.uuid]),children:zo(o)})}),t("td",{class:o.state==="stopped"?"wrong":"",children:o.
state}),t("td",{class:"num",children:L(o.node_count)}),t("td",{children:Vo(o)}),t("td",{children:o.user??""}),t("td",{children:t(fe,{at:o.created_at,ago:!0})})]},
o.uuid))})]})})})]})}function zo(e){return e.description??`${e.action}: ${e.target}`}function js({uuid:e}){let n=`${Go}/${C(e)}`,o=a=>a.kind==="batch"&&a.data?.
batch===e,r=O(n,{on:o,every:5e3,keep:!0}),s=r.data.value;return D(()=>{s!==void 0&&(document.title=`${zo(s)} \xB7 Corten`)},[s?.uuid]),t("div",{class:"stack",children:[
t("div",{class:"page-head",children:[t("h1",{children:s===void 0?"Batch":zo(s)}),t("span",{class:"spring"}),t(le,{commands:{corten:`corten batch watch ${e}`,curl:ee(
"GET",n)}})]}),t(H,{doc:r,lines:6,children:a=>t(_,{children:[t(Ul,{batch:a,path:n,reload:r.reload}),t(Hl,{batch:a,path:n,isMine:o})]})})]})}var Wl={pause:"Pause",
resume:"Go on",abort:"Abort"};function Ul({batch:e,path:n,reload:o}){let[r,s]=g(!1),a=e.counts.done+e.counts.failed+e.counts.skipped,i=async(l,u)=>{s(!0);try{await l(),
u()}catch(d){G("That was refused",d)}s(!1)};return t(N,{title:`${e.action}: ${e.target}`,actions:t(_,{children:[Ds(e.state).map(l=>t(b,{small:!0,kind:l==="resum\
e"?"main":l==="abort"?"danger":"plain",busy:r,why:Et(ae.value,"corten:batch:update"),onClick:()=>{i(()=>j("POST",`${n}/${l}`),o)},children:Wl[l]},l)),Ls(e.state)&&
t(b,{small:!0,kind:"quiet",busy:r,why:Et(ae.value,"corten:batch:delete"),onClick:()=>{i(()=>j("DELETE",n),()=>X(E(["batches"])))},children:"Remove"})]}),children:t(
"div",{class:"trial",children:[t("p",{role:"status",class:e.state==="stopped"?"wrong":"",children:[t("strong",{children:Is[e.state]})," ",Vo(e)]}),t(De,{value:Re(
a,e.node_count),label:"nodes that have ended"}),t(ge,{rows:[["Reason",e.reason],["Nodes",L(e.node_count)],["Wave",`${e.wave} of ${e.waves.length} (${e.waves.join(
", ")})`],["At once",L(e.at_once)],["May fail",e.max_failures===null?"none before the next wave":Z(e.max_failures,"node")],["Query",e.query===null?null:t("code",
{children:e.query})],["Asked by",e.user],["Run by",e.conductor],["Since",t(fe,{at:e.created_at,ago:!0})],["Ended",e.ended_at===null?null:t(fe,{at:e.ended_at,ago:!0})]]})]})})}
var qs=["failed","running","asked","waiting","done","skipped"];function Hl({batch:e,path:n,isMine:o}){let r=qs.find(d=>d===Q.value.get("state"))??null,[s,a]=g(-1),
i=r===null?"":`&state=${r}`,l=O(`${n}/nodes?after=${s}&limit=${Bs}${i}`,{on:o,atMost:1e3,every:5e3,keep:!0}),u=d=>{a(-1),U({state:d},!0)};return t(N,{title:"Nod\
es",actions:t(_,{children:[t(b,{small:!0,kind:"quiet",pressed:r===null,onClick:()=>u(null),children:"All"}),qs.filter(d=>e.counts[d]>0).map(d=>t(b,{small:!0,kind:"\
quiet",pressed:r===d,onClick:()=>u(d),children:[Jo[d]," ",L(e.counts[d])]},d))]}),children:t(H,{doc:l,children:d=>t(_,{children:[t("div",{class:"scroll-x",tabIndex:0,
role:"region","aria-label":"What became of each node",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
node"}),t("th",{scope:"col",children:"wave"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"reason"})]})}),t("tbody",{children:d.nodes.map(
c=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:E(["nodes",c.node]),children:c.name??c.node})}),t("td",{children:c.wave}),t("td",{class:c.state===
"done"?"good":c.state==="failed"?"wrong":"",children:Jo[c.state]}),t("td",{class:"wrap",children:c.reason??""})]},c.place))})]})}),t("p",{class:"row",children:[
s>=0&&t(b,{small:!0,onClick:()=>a(-1),children:"First ones"}),d.next!==null&&t(b,{small:!0,onClick:()=>a(d.next??-1),children:["Next ",Bs]})]})]})})})}function Kl(e){let n=[],o=-1,r=!1;for(let s=0;s<=e.length;s+=1){let a=e[s];a==='"'&&(r=!r);let i=a===void 0||!r&&/\s/.test(a);i&&o>=0?(n.push({start:o,end:s,text:e.
slice(o,s)}),o=-1):!i&&o<0&&(o=s)}return n}var Qn={state:{about:"provision state or its class",values:["failed","working","waiting","held","ready","in_use",...Object.
keys(qe)]},name:{about:"name, with * at either end"},class:{about:"resource class",by:"resource_class"},driver:{about:"hardware type",by:"driver"},conductor:{about:"\
who looks after it",by:"conductor"},group:{about:"conductor group",by:"conductor_group"},chassis:{about:"chassis",by:"chassis"},shard:{about:"shard",by:"shard"},
owner:{about:"owning project",by:"owner"},lessee:{about:"leasing project",by:"lessee"},power:{about:"power state",by:"power"},trait:{about:"trait",by:"trait"},maint:{
about:"in maintenance",values:["yes","no"]},retired:{about:"retired",values:["yes","no"]},protected:{about:"protected",values:["yes","no"]},fault:{about:"fault \
the service found"},error:{about:"words of the last error"},cause:{about:"cause of a failure"},instance:{about:"UUID of the instance"},mac:{about:"MAC address o\
f a port"},bmc:{about:"address of the BMC"},uuid:{about:"UUID"},"age>":{about:"longer in its state than 30m, 2h, 1d"},"age<":{about:"shorter in its state than"}};
function Yo(e){return e===""||/[\s",:]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function Zn(e,n){let o=Kl(e).find(u=>n>=u.start&&n<=u.end)??{start:n,end:n,text:""},
r=o.text.startsWith("-")?"-":"",s=o.text.slice(r.length),a=s.indexOf(":");if(a<0)return{word:o,minus:r,key:null,typed:s,before:""};let i=s.slice(a+1),l=i.lastIndexOf(
",");return{word:o,minus:r,key:s.slice(0,a),typed:i.slice(l+1).replaceAll('"',""),before:i.slice(0,l+1)}}function Ws(e,n,o){let{minus:r,key:s,typed:a,before:i}=Zn(
e,n),l=a.toLowerCase();return s===null?Object.entries(Qn).filter(([p])=>p.startsWith(l)).map(([p,{about:f}])=>({insert:p.startsWith("age")?p:`${r}${p}:`,label:p.
startsWith("age")?p:`${p}:`,about:f,done:!1})):(Qn[s]?.values?.map(c=>({name:c,about:""}))??o.map(({name:c,total:p})=>({name:c??"",about:String(p)}))).filter(({
name:c})=>c.toLowerCase().includes(l)).slice(0,12).map(({name:c,about:p})=>({insert:`${r}${s}:${i}${Yo(c)}`,label:c===""?"(none)":c,about:p,done:!0}))}function Us(e,n,o){
let{word:r}=Zn(e,n),s=e.slice(r.end),a=o.done&&!s.startsWith(" ")?o.insert+" ":o.insert;return{query:e.slice(0,r.start)+a+s,caret:r.start+a.length}}function Hs(){let e=O("/corten/v1/status",{every:5e3});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Conductors"}),
t("span",{class:"spring"}),t(le,{commands:{corten:"corten status",curl:ee("GET","/corten/v1/status")}})]}),t(H,{doc:e,lines:8,children:n=>t(_,{children:[t(Jl,{status:n}),
t("div",{class:"cards",children:n.conductors.map(o=>t(Vl,{one:o},o.host))}),t(Gl,{status:n}),t("div",{class:"cards",children:[t(N,{title:"Leases",level:3,children:[
t("div",{class:"figures",children:[t(nt,{value:L(n.leases.count),label:"held"}),t(nt,{value:L(n.leases.orphaned),label:"without an owner"})]}),n.leases.quietest!==
null&&t("p",{class:"faint",children:["The quietest is ",t("a",{href:E(["nodes",n.leases.quietest.name??n.leases.quietest.node]),children:n.leases.quietest.name??
n.leases.quietest.node}),", ",he(n.leases.quietest.quiet_s)," without a word."]})]}),t(N,{title:"Database",level:3,children:t(ge,{rows:[["Engine",n.database.engine],
["Answers within",n.database.latency_s===null?null:`${(n.database.latency_s*1e3).toFixed(1)} ms`],["Size",n.database.size_bytes===null?null:_e(n.database.size_bytes)],
["Place",t("code",{children:n.database.location})],["Error",n.database.error]]})}),t(N,{title:"Webhooks",level:3,children:t("div",{class:"figures",children:[t(nt,
{value:L(n.webhooks.count),label:"in all"}),t(nt,{value:L(n.webhooks.failing),label:"failing"}),t(nt,{value:L(n.webhooks.dead_letters),label:"dead letters"})]})})]})]})})]})}
function nt({value:e,label:n}){return t("div",{class:"figure",children:[t("strong",{children:e}),t("span",{children:n})]})}function Jl({status:e}){return e.problems.
length===0?t("div",{class:"all-well",children:[t(A,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"The service is well"}),t("p",{class:"\
faint",children:[e.process.host," speaks, ",e.process.role,", version ",e.process.version,"."]})]})]}):t(N,{title:"Problems",class:"problems",children:t("ul",{class:"\
causes",children:e.problems.map(n=>t("li",{class:"cause",children:[t("span",{class:`cause-count${n.severity==="error"?"":" cause-warn"}`,children:t(A,{name:"war\
n"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:n.text}),t("p",{class:"cause-advice",children:t(St,{text:n.advice})})]})]},
n.code))})})}function Vl({one:e}){let[n,o]=g(!1),r=e.state==="alive",s=(e.passes??[]).filter(a=>a.lag_s>Math.max(5,a.interval_s/2));return t(N,{level:3,title:t(
_,{children:[t(V,{look:r?"in_use":"failed"})," ",e.host]}),actions:t("a",{class:"button button-quiet button-small",href:E(["nodes"],{q:`conductor:${Yo(e.host)}`}),
children:"Its nodes"}),children:[t("div",{class:"figures",children:[t(nt,{value:L(e.nodes),label:"nodes"}),t(nt,{value:e.workers===null?"\u2013":`${e.workers_busy??
0} of ${e.workers}`,label:"workers busy"}),t(nt,{value:L(e.leases),label:"leases"}),t(nt,{value:e.uptime_s===null?"\u2013":he(e.uptime_s),label:"up"})]}),t(ge,{
rows:[["State",r?e.may_act===!1?"alive, but may not act":"alive":`${e.state}, silent for ${he(e.last_seen_s)}`],["Group",e.group],["Version",e.version],["Driver\
s",e.drivers.join(", ")],["Error",e.error===null?null:t("span",{class:"wrong",children:e.error})]]}),s.length>0&&t("p",{class:"wrong",children:[t(A,{name:"warn"}),
" late: ",s.map(a=>`${a.name} by ${he(a.lag_s)}`).join(", ")]}),e.passes!==null&&t(b,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:n?"Hide passes":
`${e.passes.length} periodic passes`}),n&&e.passes!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"pass"}),t("th",{scope:"col",class:"num",children:"every"}),t("th",{scope:"col",class:"num",children:"late by"}),t("th",{scope:"col",
class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"visited"}),t("th",{scope:"col",class:"num",children:"failed"}),t("th",{scope:"col",children:"\
last"})]})}),t("tbody",{children:e.passes.map(a=>t("tr",{children:[t("th",{scope:"row",children:a.name.replaceAll("_"," ")}),t("td",{class:"num",children:he(a.interval_s)}),
t("td",{class:"num",children:a.lag_s<1?"":he(a.lag_s)}),t("td",{class:"num",children:a.rounds===0?"":`${a.last_duration_s.toFixed(2)} s`}),t("td",{class:"num",children:a.
rounds===0?"":L(a.last_visited)}),t("td",{class:`num${a.last_failed>0?" wrong":""}`,children:a.last_failed===0?"":L(a.last_failed)}),t("td",{children:a.is_running?
"now":a.last_began===null?"not yet":`${Ee(a.last_began)} ago`})]},a.name))})]})})]})}function Gl({status:e}){return e.ring.length===0?null:t(N,{title:"Who looks\
 after what",level:3,children:t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
driver"}),t("th",{scope:"col",children:"group"}),t("th",{scope:"col",class:"num",children:"nodes"}),t("th",{scope:"col",children:"shares"})]})}),t("tbody",{children:e.
ring.map(n=>t("tr",{children:[t("th",{scope:"row",children:n.driver}),t("td",{children:n.group===""?t("span",{class:"faint",children:"default"}):n.group}),t("td",
{class:"num",children:L(n.nodes)}),t("td",{children:n.shares.map(o=>`${o.host} ${Math.round(o.share*100)} %`).join(", ")})]},n.group+n.driver))})]})})})}var zl=1e4;async function Xn(e,n){let o=Date.now()+zl;for(;;)try{return await e()}catch(r){if(!(r instanceof Te&&r.status===409&&r.passes)||Date.now()>o)throw r;
n?.(r),await new Promise(a=>window.setTimeout(a,Math.min(1e3,(r.retryAfter??1)*1e3)))}}function ot(e,n,o){return Xn(()=>j("PUT",`/v1/nodes/${C(e)}/states/provis\
ion`,n),o)}function Qo(e,n,o){return Xn(()=>j("PUT",`/v1/nodes/${C(e)}/states/power`,{target:n}),o)}function Zo(e,n,o){let r=`/v1/nodes/${C(e)}/maintenance`;return Xn(
()=>n?j("PUT",r,{reason:o}):j("DELETE",r))}function Vt(e,n){return Xn(()=>j("PATCH",`/v1/nodes/${C(e)}`,n))}var Mt=["name","driver","address","username","password","mac","class"],Ks={host:"name",hostname:"name",node:"name",server:"name",type:"driver",hardware_type:"dr\
iver",bmc:"address",bmc_address:"address",ip:"address",redfish_address:"address",ipmi_address:"address",user:"username",login:"username",redfish_username:"usern\
ame",ipmi_username:"username",pass:"password",redfish_password:"password",ipmi_password:"password",macs:"mac",mac_address:"mac",port:"mac",resource_class:"class"};
function Yl(e,n){let o=[],r=[],s="",a=!1;for(let i=0;i<e.length;i+=1){let l=e[i]??"";a?l==='"'&&e[i+1]==='"'?(s+='"',i+=1):l==='"'?a=!1:s+=l:l==='"'&&s===""?a=!0:
l===n?(r.push(s.trim()),s=""):l===`
`||l==="\r"?(l==="\r"&&e[i+1]===`
`&&(i+=1),r.push(s.trim()),s="",r.some(u=>u!=="")&&o.push(r),r=[]):s+=l}return r.push(s.trim()),r.some(i=>i!=="")&&o.push(r),o}function Js(){return{name:"",driver:"",
address:"",username:"",password:"",mac:"",class:"",extra:{}}}function Xo(e,n,o){let r=n.trim().toLowerCase(),s=Mt.includes(r)?r:Ks[r];s!==void 0?e[s]=o:r.startsWith(
"extra.")&&o!==""&&(e.extra[n.trim().slice(6)]=o)}function Vs(e){let n=e.trim();if(n==="")return{machines:[],unknown:[],error:null};if(n.startsWith("[")||n.startsWith(
"{"))return Ql(n);let o=n.split(/\r?\n/,1)[0]??"",r=o.includes("	")?"	":o.includes(";")&&!o.includes(",")?";":",",[s,...a]=Yl(n,r);if(s===void 0)return{machines:[],
unknown:[],error:null};let i=u=>Mt.includes(u.toLowerCase())||u.toLowerCase()in Ks||u.toLowerCase().startsWith("extra.");return s.some(i)?{machines:a.map(u=>{let d=Js();
for(let[c,p]of s.entries())Xo(d,p,u[c]??"");return d}),unknown:s.filter(u=>u!==""&&!i(u)),error:null}:{machines:[],unknown:[],error:`The first line has to name \
the columns: ${Mt.join(", ")}, extra.\u2026`}}function Ql(e){try{let n=JSON.parse(e);return{machines:(Array.isArray(n)?n:n.nodes??[n]).map(s=>{let a=Js();for(let[
i,l]of Object.entries(s))if(i==="extra"&&typeof l=="object"&&l!==null)for(let[u,d]of Object.entries(l))a.extra[u]=String(d);else Array.isArray(l)?Xo(a,i,l.join(
" ")):l!==null&&typeof l!="object"&&Xo(a,i,String(l));return a}),unknown:[],error:null}}catch(n){return{machines:[],unknown:[],error:n instanceof Error?n.message:
String(n)}}}var Zl=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i,Xl=/^[A-Za-z0-9][A-Za-z0-9._~-]*$/;function At(e){return e.split(/[\s,;]+/).filter(n=>n!=="")}function Gs(e,n,o){
let r=new Map,s=new Map;for(let a of e){r.set(a.name,(r.get(a.name)??0)+1);for(let i of At(a.mac))s.set(i.toLowerCase(),(s.get(i.toLowerCase())??0)+1)}return e.
map(a=>{let i={};a.name!==""&&!Xl.test(a.name)?i.name="not a valid name":a.name!==""&&(r.get(a.name)??0)>1?i.name="twice in this list":o.has(a.name)&&(i.name="t\
here is a node of this name"),a.driver===""?i.driver="missing":n.length>0&&!n.includes(a.driver)&&(i.driver=`not one of ${n.join(", ")}`),a.driver!=="fake-hardw\
are"&&a.address===""?i.address="missing":/\s/.test(a.address)&&(i.address="has a space");for(let l of At(a.mac))Zl.test(l)?(s.get(l.toLowerCase())??0)>1&&(i.mac=
"twice in this list"):i.mac=`${l} is no MAC address`;return i})}function zs(e){let n={},o=e.driver==="ipmi"?"ipmi":"redfish";return e.driver!=="fake-hardware"&&
(e.address!==""&&(n[`${o}_address`]=e.address),e.username!==""&&(n[`${o}_username`]=e.username),e.password!==""&&(n[`${o}_password`]=e.password)),{driver:e.driver,
...e.name===""?{}:{name:e.name},...e.class===""?{}:{resource_class:e.class},driver_info:n,...Object.keys(e.extra).length===0?{}:{extra:e.extra}}}var ec=8,er=200;function Ys({drivers:e,why:n}){let[o,r]=g(""),[s,a]=g([]),[i,l]=g([]),[u,d]=g(null),[c,p]=g(new Set),[f,m]=g(!0),[h,k]=g(!1),x=P=>{r(P);let te=Vs(
P);d(te.error),l(te.unknown),a(te.machines.map(ue=>({machine:ue,fate:"new",words:null})))},T=s.filter(P=>P.fate!=="done").map(P=>P.machine.name).filter(P=>P!==""),
y=T.join(" ");D(()=>{if(y==="")return;let P=window.setTimeout(()=>Qs(T).then(p,()=>{}),400);return()=>window.clearTimeout(P)},[y]);let v=s.filter(P=>P.fate!=="d\
one"),w=Gs(v.map(P=>P.machine),e,c),R=w.filter(P=>Object.keys(P).length>0).length,$=s.length-v.length,M=(P,te,ue)=>{a(s.map(I=>I===P?{...I,machine:{...I.machine,
[te]:ue}}:I))},S=async()=>{k(!0);let P=[...v],te=new Map,ue=()=>a(s.map(pe=>te.get(pe)??pe)),I=async()=>{for(let pe=P.shift();pe!==void 0;pe=P.shift())te.set(pe,
{...pe,fate:"asked",words:null}),ue(),te.set(pe,await tc(pe,f)),ue()};await Promise.all(Array.from({length:ec},I));let ie=[...te.values()].filter(pe=>pe.fate===
"failed").length;F(ie===0?`${Z(te.size,"machine")} enrolled.`:`${Z(ie,"machine")} could not be enrolled.`),k(!1)},J=n??(v.length===0?"there is nothing to enrol":
R>0?`${Z(R,"row")} to be corrected`:null);return t(_,{children:[t(N,{title:"Paste a table",level:3,children:t(q,{label:"CSV with a header, or JSON",error:u,hint:i.
length>0?`Left out: ${i.join(", ")}.`:`Columns: ${Mt.join(", ")}, extra.\u2026`,children:(P,te)=>t("textarea",{id:P,class:"area","aria-describedby":te,spellcheck:!1,
autofocus:!0,placeholder:`name,driver,address,username,password,mac,class
web-01,redfish,10.0.0.11,admin,\u2026,52:54:00:12:34:56,web`,value:o,onInput:ue=>x(ue.currentTarget.value)})})}),s.length>0&&t(N,{level:3,title:Z(s.length,"mach\
ine"),actions:t(_,{children:[t("span",{role:"status",class:R>0?"wrong":"faint",children:[$>0&&`${$} enrolled. `,R>0?`${Z(R,"row")} to be corrected.`:v.length>0?
"All rows are well formed.":""]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:f,onChange:P=>m(P.currentTarget.checked)})," verify\
 each"]}),t(b,{kind:"main",why:J,busy:h,onClick:()=>{S()},children:["Enrol ",v.length>0?v.length:""]})]}),children:t("div",{class:"scroll-x scroll-y",tabIndex:0,
role:"region","aria-label":"Machines to enrol",children:[t("table",{class:"table csv-table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col"}),
Mt.map(P=>t("th",{scope:"col",children:P},P)),t("th",{scope:"col",children:"what is wrong"})]})}),t("tbody",{children:s.slice(0,er).map((P,te)=>{let ue=P.fate===
"done"?{}:w[v.indexOf(P)]??{};return t("tr",{children:[t("td",{children:t(V,{look:P.fate==="done"?"in_use":P.fate==="failed"?"failed":P.fate==="asked"?"working":
"ready"})}),Mt.map(I=>t("td",{class:ue[I]===void 0?"":"cell-wrong",children:P.fate==="done"&&I==="name"?t("a",{href:E(["nodes",P.machine.name]),children:P.machine.
name}):t("input",{"aria-label":`${I} of row ${te+1}`,type:I==="password"?"password":"text",autocomplete:"off",disabled:P.fate==="done"||h,value:P.machine[I],onInput:ie=>M(
P,I,ie.currentTarget.value)})},I)),t("td",{class:"wrong",children:[Object.entries(ue).map(([I,ie])=>`${I}: ${ie}`).join("; "),P.words!==null&&t(_,{children:[t(A,
{name:"warn"})," ",P.words]})]})]},te)})})]}),s.length>er&&t("p",{class:"faint",children:[s.length-er," more rows are checked and enrolled, but not drawn."]})]})})]})}
async function tc(e,n){let o=s=>s instanceof Error?s.message:String(s),r;try{r=await j("POST","/v1/nodes",zs(e.machine))}catch(s){return{...e,fate:"failed",words:o(
s)}}if(r===null)return{...e,fate:"failed",words:"the service gave no answer"};try{for(let s of At(e.machine.mac))await j("POST","/v1/ports",{node_uuid:r.uuid,address:s})}catch(s){
return await j("DELETE",`/v1/nodes/${C(r.uuid)}`).catch(()=>{}),{...e,fate:"failed",words:o(s)}}if(n)try{await ot(r.uuid,{target:"manage"})}catch(s){return{...e,
fate:"done",words:o(s)}}return{...e,fate:"done",words:null}}function Zs(){let e=Q.value.get("as")==="many",n=O("/v1/drivers"),o=ce(ae.value,Ne.create);return t("div",{class:"stack enrol",children:[t("div",{class:"page-he\
ad",children:[t("h1",{children:"Enrol machines"}),t("div",{class:"segmented",role:"radiogroup","aria-label":"How many",children:[t("label",{children:[t("input",
{type:"radio",name:"many",checked:!e,onChange:()=>U({as:null})}),t("span",{children:"One machine"})]}),t("label",{children:[t("input",{type:"radio",name:"many",
checked:e,onChange:()=>U({as:"many"})}),t("span",{children:"Many"})]})]})]}),o!==null&&t("p",{class:"wrong",children:["You cannot enrol: ",o,"."]}),t(H,{doc:n,children:r=>{
let s=r.drivers.map(a=>a.name).sort();return e?t(Ys,{drivers:s,why:o}):t(rc,{drivers:s,why:o})}})]})}function nc(e,n){return/_(address|username|password)$/.test(
e)||/required/i.test(n.slice(-12))}function oc(e){return/password|secret|key$|token/.test(e)&&!/key_file/.test(e)}function rc({drivers:e,why:n}){let[o,r]=g(e.includes(
"redfish")?"redfish":e[0]??""),[s,a]=g(""),[i,l]=g(""),[u,d]=g(""),[c,p]=g({}),[f,m]=g(!1),h=O(o===""?null:`/v1/drivers/${C(o)}/properties`),k=At(u).find(v=>!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.
test(v)),x=(v,w)=>t(q,{label:v,hint:w,children:(R,$)=>t("input",{id:R,class:"input",type:oc(v)?"password":"text",autocomplete:"off",spellcheck:!1,"aria-describe\
dby":$,placeholder:v==="redfish_address"?"https://bmc.example":"",value:c[v]??"",onInput:M=>{let{value:S}=M.currentTarget;p(J=>({...J,[v]:S}))}})},v),T=async v=>{
m(!0);try{let w=Object.fromEntries(Object.entries(c).filter(([,M])=>M!=="")),R={driver:o,driver_info:w,...s===""?{}:{name:s},...i===""?{}:{resource_class:i}},$=await j(
"POST","/v1/nodes",R);if($===null)return;for(let M of At(u))await j("POST","/v1/ports",{node_uuid:$.uuid,address:M});F(`${s===""?$.uuid:s} is enrolled.`),v&&await ot(
$.uuid,{target:"manage"}),X(E(["nodes",$.name??$.uuid],{tab:v?"timeline":null}))}catch(w){G("The machine could not be enrolled",w)}m(!1)},y=n??(k===void 0?null:
`${k} is no MAC address`);return t("form",{class:"form enrol-one",onSubmit:v=>{v.preventDefault(),y===null&&T(!0)},children:[t(N,{title:"The machine",level:3,children:t(
"div",{class:"form",children:t("div",{class:"pair",children:[t(q,{label:"Driver",hint:"How its BMC is spoken to.",children:v=>t("select",{id:v,class:"input",value:o,
onChange:w=>r(w.currentTarget.value),children:e.map(w=>t("option",{value:w,children:w},w))})}),t(q,{label:"Name",hint:"Letters, digits, dots and dashes.",children:v=>t(
"input",{id:v,class:"input",autofocus:!0,autocomplete:"off",spellcheck:!1,value:s,onInput:w=>a(w.currentTarget.value.trim())})}),t(q,{label:"Resource class",hint:"\
What kind of machine it is, such as gpu.",children:v=>t("input",{id:v,class:"input",value:i,onInput:w=>l(w.currentTarget.value.trim())})}),t(q,{label:"MAC addre\
sses",hint:"Of the ports it boots from; separated by spaces.",error:k===void 0?null:`${k} is no MAC address.`,children:v=>t("input",{id:v,class:"input",spellcheck:!1,
value:u,onInput:w=>d(w.currentTarget.value)})})]})})}),t(N,{title:"How to reach its BMC",level:3,children:t(H,{doc:h,children:v=>{let w=Object.entries(v).sort(),
R=S=>S.endsWith("_address")?0:S.endsWith("_username")?1:S.endsWith("_password")?2:3,$=w.filter(([S,J])=>nc(S,J)).sort(([S],[J])=>R(S)-R(J)),M=w.filter(S=>!$.includes(
S));return w.length===0?t("p",{class:"faint",children:"This driver needs nothing."}):t("div",{class:"form",children:[t("div",{class:"pair",children:$.map(([S,J])=>x(
S,J))}),M.length>0&&t("details",{children:[t("summary",{children:[M.length," more settings"]}),t("div",{class:"pair",children:M.map(([S,J])=>x(S,J))})]})]})}})}),
t("div",{class:"row",children:[t(b,{kind:"main",type:"submit",why:y,busy:f,children:"Enrol and verify now"}),t(b,{why:y,busy:f,onClick:()=>{T(!1)},children:"Enr\
ol only"}),t("span",{class:"faint",children:"Verifying speaks to the BMC and leads to \u201Cmanageable\u201D."})]})]})}async function Qs(e){let n=new Set;for(let o=0;o<
e.length;o+=25){let r=e.slice(o,o+25).filter(a=>/^[\w.~-]+$/.test(a));if(r.length===0)continue;let s=await ne(`/corten/v1/nodes?fields=name&limit=25&q=${C(`name\
:${r.join(",")}`)}`);for(let a of s.nodes)n.add(a.name)}return n}function Gt(e,n){let o=`corten.${e}`,r=n;try{let i=localStorage.getItem(o);i!==null&&(r=JSON.parse(i))}catch{}let s=K(r),a=!0;return Ve(()=>{let i=JSON.stringify(
s.value);a||localStorage.setItem(o,i),a=!1}),s}var Ye=Gt("letters",!0),Pt=Gt("columns",["name","state","since","power","class","conductor","matter"]),st=Gt("vie\
ws",[]),tr=Gt("group","resource_class"),eo=Gt("images",[]),bn=Gt("console.font",14),rt=K(sc());function sc(){let e=localStorage.getItem("corten.theme");return e===
"light"||e==="dark"?e:"system"}var Xs=matchMedia("(prefers-color-scheme: dark)"),nr=K(0);function ea(){let e=rt.value==="dark"||rt.value==="system"&&Xs.matches;
document.documentElement.dataset.theme=e?"dark":"light",nr.value+=1}Xs.addEventListener("change",ea);function zt(e){rt.value=e,e==="system"?localStorage.removeItem(
"corten.theme"):localStorage.setItem("corten.theme",e),ea()}var yn=K([]);function or(){return yn.value.flat()}function Be(e){Ke(()=>(yn.value=[...yn.peek(),e],()=>{yn.value=yn.peek().filter(n=>n!==e)}))}function ac(e){return e instanceof
HTMLElement?e.isContentEditable||["INPUT","TEXTAREA","SELECT"].includes(e.tagName)||e.closest(".terminal")!==null:!1}var vn=null,ta;function rr(e){let n=document.
querySelector("dialog[open]")!==null,o=!e.ctrlKey&&!e.metaKey&&!e.altKey;if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k"&&!ic(e.target)){e.preventDefault(),
Nt.value=!Nt.value;return}if(n||!o||ac(e.target))return;let r=e.key.length===1;if(r&&!Ye.value)return;let s=vn===null?e.key:`${vn} ${e.key}`;vn=null,window.clearTimeout(
ta);let a=or(),i=a.findLast(l=>l.keys===s)??a.findLast(l=>l.keys===e.key);i!==void 0?(e.preventDefault(),i.run(e)):r&&a.some(l=>l.keys.startsWith(e.key+" "))&&(vn=
e.key,ta=window.setTimeout(()=>vn=null,1500))}function ic(e){return e instanceof Element&&e.closest(".terminal")!==null}var Nt=K(!1),wn=K(!1);var oa=1e4,lc=300,sr=400,cc=["created","provision","power","step","error","warning","maintenance","console","batch","updated","resumed","deleted"];function ra(){
let e=Q.value.get("kind")??"",n=Q.value.get("node")??"",o=Q.value.get("project")??"",r=Q.value.get("after"),[s,a]=g(null),[i,l]=g(null),[u,d]=g(!1),c=Y([]),[p,f]=g(
0),[m,h]=g(null),k=[["kind",e],["node",n],["project",o]].map(([y,v])=>v===""?"":`&${y}=${C(v??"")}`).join("");D(()=>{let y=!1;return a(null),l(null),(async()=>{
try{let w=r===null?await dc():Number(r),R=await ne(`/corten/v1/events?limit=1000&after=${w}${k}`);y||a(R.events.reverse())}catch(w){y||l($e(w))}})(),()=>{y=!0}},
[k,r]),D(()=>{if(r!==null)return;let y=v=>{v.length!==0&&(u?(c.current=[...v.reverse(),...c.current].slice(0,oa),f(c.current.length)):a(w=>na(w??[],v)))};return o!==
""?uc(k,y):mt(v=>y(v.filter(w=>(e===""||w.kind===e)&&(n===""||w.node===n||w.node_name===n))))},[k,r,u]);let x=()=>{a(y=>na(y??[],c.current.reverse())),c.current=
[],f(0),d(!1)};Be([{keys:"p",about:"pause, and follow again",run:()=>u?x():d(!0)}]);let T=i!==null&&i.status===410?i.body:null;return t("div",{class:"stack",children:[
t("div",{class:"page-head",children:[t("h1",{children:"Events"}),t("select",{class:"select","aria-label":"Kind",value:e,onChange:y=>U({kind:y.currentTarget.value}),
children:[t("option",{value:"",children:"all kinds"}),cc.map(y=>t("option",{value:y,children:y},y))]}),t("input",{class:"input filter","aria-label":"Node",placeholder:"\
node",value:n,onChange:y=>U({node:y.currentTarget.value.trim()})}),t("input",{class:"input filter","aria-label":"Project",placeholder:"project",value:o,onChange:y=>U(
{project:y.currentTarget.value.trim()})}),t("label",{class:"inline-label",children:["at"," ",t("input",{class:"input filter",type:"datetime-local",onChange:y=>{
let v=y.currentTarget.value;v===""?U({after:null}):pc(new Date(v).getTime()).then(w=>U({after:String(w)}),w=>l($e(w)))}})]}),r===null?t(b,{small:!0,pressed:u,onClick:()=>u?
x():d(!0),children:[t(A,{name:u?"play":"pause"})," ",u?`Follow${p>0?` \xB7 ${L(p)} new`:""}`:"Pause"]}):t(b,{small:!0,kind:"main",onClick:()=>U({after:null}),children:"\
Follow the newest"}),t("span",{class:"spring"}),t(le,{commands:{corten:`corten events${n===""?"":` --node ${re(n)}`}${e===""?"":` --kind ${e}`}`,curl:ee("GET",`\
/corten/v1/events?after=0${k}`)}})]}),i!==null&&t("div",{class:"stack",children:[t(be,{error:i}),T?.oldest!==void 0&&t(b,{onClick:()=>U({after:String((T.oldest??
1)-1)}),children:"Read from the oldest event that is kept"})]}),i===null&&s===null&&t(Ae,{lines:10}),s!==null&&s.length===0&&t(W,{title:"No event matches",children:"\
Everything that happens to machines is written here."}),s!==null&&s.length>0&&t("div",{class:"panel event-list",children:[s.slice(0,sr).map(y=>t("div",{class:"e\
vent-row",children:[t("time",{dateTime:y.at,title:$t(y.at),children:new Date(y.at).toLocaleTimeString("en-GB")}),t("a",{href:E(["nodes",y.node_name??y.node]),children:y.
node_name??y.node.slice(0,8)}),t("span",{class:`kind-${y.kind}`,children:y.kind}),t("span",{class:"event-text",children:y.text}),t(b,{small:!0,kind:"quiet",label:`\
JSON of event ${y.cursor}`,expanded:m===y.cursor,onClick:()=>h(m===y.cursor?null:y.cursor),children:"JSON"}),m===y.cursor&&t("pre",{class:"json event-json",children:JSON.
stringify(y,null,2)})]},y.cursor)),s.length>sr&&t("p",{class:"faint event-row",children:[L(s.length-sr)," older ones are not drawn; filter to see them."]})]})]})}
function uc(e,n){let o=new AbortController;return(async()=>{let s=Ie.peek();for(;!o.signal.aborted;){let a=await ne(`/corten/v1/events?wait=20&after=${s}${e}`,o.
signal);s=a.next,n(a.events)}})().catch(()=>{}),()=>o.abort()}function na(e,n){let o=e[0]?.cursor??0;return[...n.filter(s=>s.cursor>o).sort((s,a)=>a.cursor-s.cursor),
...e].slice(0,oa)}async function sa(){return(await ne("/corten/v1/nodes?fields=uuid&limit=1")).cursor}async function aa(){try{return await ne("/corten/v1/events\
?limit=1&after=0"),1}catch(e){if(e instanceof Te&&e.status===410)return e.body?.oldest??1;throw e}}async function dc(){let[e,n]=await Promise.all([aa(),sa()]);return Math.
max(e-1,n-lc)}async function pc(e){let[n,o]=await Promise.all([aa(),sa()]);for(;n<o;){let r=Math.floor((n+o)/2),a=(await ne(`/corten/v1/events?limit=1&after=${r-
1}`)).events[0];a===void 0||Date.parse(a.at)>=e?o=r:n=Math.max(a.cursor,r)+1}return Math.max(0,n-1)}function fc(e,n){let o=[],r=0;for(let s of e.matchAll(/([a-zA-Z])(\d+)/g)){let a=s[1]??"",i=n[a.toLowerCase()],l=Number(s[2]);i===void 0||l<=0||(o.push({look:i,
aside:a!==a.toLowerCase(),count:l,start:r}),r+=l)}return o}var mc=[[26,4],[20,4],[14,3],[12,2],[10,2],[8,2],[7,1],[6,1],[5,1],[4,1],[4,0],[3,0]],hc=10,ia=20;function la(e,n,o,r){
let s=o<640,a=s?0:168,i;for(let[u,d]of mc){let c=u+d,p=Math.max(1,Math.floor((o-a)/c)),f=0,m=[];for(let h of e){let k=Math.max(1,Math.ceil(h.total/p)),x=s?f+ia:
f,T=Math.max(k*c,s?0:ia);m.push({group:h,runs:[],y:x,height:T}),f=x+T+hc}if(i={cell:u,gap:d,columns:p,left:a,width:o,height:Math.max(f,1),blocks:m},f<=(u>14?r/4:
r))break}let l=i;for(let u of l.blocks)u.runs=fc(u.group.cells,n);return l}function ca(e,n,o){let r=e.cell+e.gap,s=Math.floor((n-e.left)/r);if(s<0||s>=e.columns)
return null;for(let[a,{y:i,height:l,group:u}]of e.blocks.entries()){if(o<i||o>=i+l)continue;let d=Math.floor((o-i)/r)*e.columns+s;return d<u.total?{block:a,index:d}:
null}return null}function ua(e,n,o){let r=e.blocks[n.block];if(r===void 0)return n;let{total:s}=r.group,a=n.index;if(o==="ArrowRight"?a+=1:o==="ArrowLeft"?a-=1:
o==="ArrowDown"?a+=e.columns:o==="ArrowUp"?a-=e.columns:o==="Home"?a=0:o==="End"&&(a=s-1),a>=s){let i=e.blocks[n.block+1];return i===void 0?{block:n.block,index:s-
1}:{block:n.block+1,index:o==="ArrowDown"?Math.min(n.index%e.columns,i.group.total-1):0}}if(a<0){let i=e.blocks[n.block-1];return i===void 0?{block:0,index:0}:{
block:n.block-1,index:i.group.total-1}}return{block:n.block,index:a}}function da(e,n){return e.runs.find(o=>n>=o.start&&n<o.start+o.count)}function ar(e,n){let o=e.
blocks[n.block],r=e.cell+e.gap;return{x:e.left+n.index%e.columns*r,y:(o?.y??0)+Math.floor(n.index/e.columns)*r}}var Oe=K(new Map),Qe=K(null);function Ot(){Oe.value=new Map,Qe.value=null}var gc=560,kn=5,ir=1e3;function gt(...e){return e.filter(n=>n!=null&&n!=="").join(" ")}function bc(){let e=getComputedStyle(document.documentElement),n=o=>e.getPropertyValue(
o).trim();return{ready:n("--ready"),in_use:n("--in-use"),working:n("--working"),waiting:n("--waiting"),held:n("--held"),failed:n("--failed"),text:n("--text"),faint:n(
"--faint"),back:n("--panel"),focus:n("--focus")}}function lr(e){return e===null||e===""?"(none)":e}function fa({map:e,q:n}){let o=Y(null),r=Y(null),[s,a]=g(0),[
i,l]=g(null),[u,d]=g(null),c=vc(e,n,i),p=s===0?null:la(e.groups,e.letters,s,gc);Ke(()=>{let v=o.current;if(v===null)return;let w=()=>a(v.clientWidth);w();let R=new ResizeObserver(
w);return R.observe(v),()=>R.disconnect()},[]);let f=nr.value;Ke(()=>{r.current!==null&&p!==null&&yc(r.current,p,i,u)},[e,s,i,u,f]);let m=v=>{let w=r.current?.getBoundingClientRect();
return w===void 0||p===null?null:ca(p,v.clientX-w.left,v.clientY-w.top)},h=()=>{c!==void 0&&X(E(["nodes",c.name??c.uuid]))},k=async()=>{if(u===null)return;d(null);
let v=p?.blocks[u.from.block],[w,R]=[Math.min(u.from.index,u.to.index),Math.max(u.from.index,u.to.index)];if(v===void 0||u.from.block!==u.to.block)return;if(w===
R)return h();let $=gt(n,v.group.q),M=await ne(`/corten/v1/nodes?fields=uuid,name&sort=name&limit=${Math.min(ir,R-w+1)}&offset=${w}&q=${C($)}`);R-w>=ir&&F(`Only \
the first ${Z(ir,"node")} are selected.`),Qe.value=null,Oe.value=new Map(M.nodes.map(S=>[S.uuid,S.name??S.uuid])),X(E(["nodes"],{q:$}))},x=p!==null&&i!==null?ar(
p,i):null,T=i===null?void 0:p?.blocks[i.block],y=T===void 0||i===null?void 0:da(T,i.index);return t("div",{class:"map",ref:o,tabIndex:0,role:"application","aria\
-label":`Map of ${L(e.total)} nodes. Arrow keys move, Enter opens a node, t shows a table.`,onKeyDown:v=>{if(!(p===null||p.blocks.length===0)){if(v.key==="Enter")
h();else if(v.key==="Escape")l(null);else if(v.key.startsWith("Arrow")||v.key==="Home"||v.key==="End")l(i===null?{block:0,index:0}:ua(p,i,v.key));else return;v.
preventDefault()}},onBlur:()=>l(null),children:[t("canvas",{ref:r,class:"map-canvas","aria-hidden":"true",onPointerMove:v=>{let w=m(v);u!==null&&w!==null&&w.block===
u.from.block&&d({...u,to:w}),(w?.block!==i?.block||w?.index!==i?.index)&&l(w)},onPointerLeave:()=>{l(null),d(null)},onPointerDown:v=>{let w=m(v);w!==null&&v.button===
0&&d({from:w,to:w})},onPointerUp:()=>{k()}}),x!==null&&y!==void 0&&p!==null&&t("div",{class:"map-tip",role:"status",style:{left:`${Math.max(0,Math.min(x.x,s-250))}\
px`,top:`${x.y+p.cell+6}px`},children:c===void 0?t("span",{class:"faint",children:[y.look.replace("_"," ")," \u2026"]}):t(_,{children:[t("strong",{children:c.name??
c.uuid}),t(ft,{state:c.provision_state,target:c.target_provision_state,maintenance:c.maintenance}),t("span",{class:"faint",children:["since ",Ee(c.provision_updated_at)]}),
c.cause!==null&&t("span",{class:"map-cause",children:c.cause.sentence})]})})]})}function vc(e,n,o){let[r,s]=g({key:"",row:void 0}),a=o===null?void 0:e.groups[o.
block],i=a===void 0||o===null?"":`${o.block}/${o.index}/${e.cursor}`;return D(()=>{if(a===void 0||o===null)return;let l=new AbortController,u=window.setTimeout(
()=>{ne(`/corten/v1/nodes?sort=name&limit=1&offset=${o.index}&q=${C(gt(n,a.q))}`,l.signal).then(d=>s({key:i,row:d.nodes[0]}),()=>{})},60);return()=>{window.clearTimeout(
u),l.abort()}},[i]),r.key===i?r.row:void 0}function yc(e,n,o,r){let s=window.devicePixelRatio||1;e.width=Math.round(n.width*s),e.height=Math.round(n.height*s),e.
style.width=`${n.width}px`,e.style.height=`${n.height}px`;let a=e.getContext("2d");if(a===null)return;let i=bc();a.scale(s,s),a.clearRect(0,0,n.width,n.height),
a.textBaseline="middle";let l=n.cell+n.gap;for(let u of n.blocks){_c(a,n,u,i);let d=[];for(let c of u.runs){a.fillStyle=i[c.look];for(let p=c.start;p<c.start+c.
count;){let f=p%n.columns,m=n.gap===0?Math.min(c.start+c.count-p,n.columns-f):1,h=n.left+f*l,k=u.y+Math.floor(p/n.columns)*l;if(c.look==="failed"&&n.cell<kn)for(let x=0;x<
m;x+=1)d.push(()=>{a.fillStyle=i.back,a.fillRect(h+x*l-2,k-2,kn+2,kn+2),a.fillStyle=i.failed,a.fillRect(h+x*l-1,k-1,kn,kn)});else n.cell>=6?(a.beginPath(),a.roundRect(
h,k,n.cell,n.cell,n.cell>=10?3:1.5),a.fill(),c.look==="failed"&&n.cell>=8&&wc(a,h,k,n.cell,i.back),c.aside&&kc(a,h,k,n.cell,i.back)):(a.fillRect(h,k,n.gap===0?m*
l:n.cell,n.cell),c.aside&&n.cell>=4&&(a.fillStyle=i.back,a.fillRect(h+1,k+1,n.cell-2,n.cell-2),a.fillStyle=i[c.look]));p+=m}}for(let c of d)c()}if(a.strokeStyle=
i.focus,a.lineWidth=2,r!==null&&r.from.block===r.to.block){let[u,d]=[Math.min(r.from.index,r.to.index),Math.max(r.from.index,r.to.index)];for(let c=u;c<=d&&d-u<
4e3;c+=1)pa(a,n,{block:r.from.block,index:c})}o!==null&&pa(a,n,o)}function pa(e,n,o){let{x:r,y:s}=ar(n,o);e.strokeRect(r-1.5,s-1.5,n.cell+3,n.cell+3)}function wc(e,n,o,r,s){
let a=r*.3;e.strokeStyle=s,e.lineWidth=r>=12?2:1.4,e.beginPath(),e.moveTo(n+a,o+a),e.lineTo(n+r-a,o+r-a),e.moveTo(n+r-a,o+a),e.lineTo(n+a,o+r-a),e.stroke()}function kc(e,n,o,r,s){
e.save(),e.beginPath(),e.rect(n,o,r,r),e.clip(),e.strokeStyle=s,e.lineWidth=1.4;for(let a=-r;a<r;a+=4)e.beginPath(),e.moveTo(n+a,o+r),e.lineTo(n+a+r,o),e.stroke();
e.restore()}function _c(e,n,o,r){let s=n.left===0?o.y-10:o.y+Math.max(n.cell,14)/2,a=n.left===0?n.width-70:n.left-76;e.fillStyle=r.text,e.font="600 13px system-\
ui, sans-serif";let i=lr(o.group.name);for(;i.length>2&&e.measureText(i).width>a;)i=i.slice(0,-2)+"\u2026";e.fillText(i,0,s);let l=e.measureText(i).width+8;e.fillStyle=
r.faint,e.font="13px system-ui, sans-serif",e.fillText(L(o.group.total),l,s)}var xc=200;function cr(e){let n=e?.body;return typeof n!="object"||n===null?null:n.query_error??null}function to({q:e,onQuery:n,error:o}){let r=et(),s=Y(null),[
a,i]=g(e),[l,u]=g(0),[d,c]=g(!1),[p,f]=g(-1),[m,h]=g([]),k=Y(void 0),x=Y(e);e!==x.current&&(x.current=e,a!==e&&i(e));let T=Zn(a,l).key,y=T===null?void 0:Qn[T]?.
by??(T.startsWith("extra.")?T:void 0);D(()=>{if(h([]),!d||y===void 0)return;let S=new AbortController;return ne(`/corten/v1/fleet?by=${C(y)}`,S.signal).then(J=>h(
[...J.groups].sort((P,te)=>te.total-P.total)),()=>{}),()=>S.abort()},[y,d]);let v=S=>{window.clearTimeout(k.current),x.current=S.trim(),n(S.trim())},w=(S,J)=>{i(
S),u(J),f(-1),window.clearTimeout(k.current),k.current=window.setTimeout(()=>v(S),xc)},R=d?Ws(a,l,m):[],$=S=>{let J=R[S];if(J===void 0)return;let P=Us(a,l,J);i(
P.query),u(P.caret),f(-1),J.done&&v(P.query),requestAnimationFrame(()=>{s.current?.focus(),s.current?.setSelectionRange(P.caret,P.caret)})},M=cr(o);return t("di\
v",{class:"query",children:[t("div",{class:"query-box",children:[t(A,{name:"search"}),t("input",{ref:s,id:"query",class:"query-input",role:"combobox","aria-labe\
l":"Filter nodes","aria-expanded":R.length>0,"aria-controls":`${r}-list`,"aria-activedescendant":p>=0?`${r}-${p}`:void 0,"aria-invalid":M!==null,autocomplete:"o\
ff",spellcheck:!1,maxLength:1e3,placeholder:"Filter: state:failed class:gpu -maint:yes age>1h",value:a,onInput:S=>w(S.currentTarget.value,S.currentTarget.selectionStart??
0),onSelect:S=>u(S.currentTarget.selectionStart??0),onFocus:()=>c(!0),onBlur:()=>c(!1),onKeyDown:S=>{if(S.key==="ArrowDown")f(Math.min(p+1,R.length-1));else if(S.
key==="ArrowUp")f(Math.max(p-1,-1));else if(S.key==="Tab"&&p>=0)$(p);else if(S.key==="Enter")p>=0?$(p):(v(a),s.current?.blur(),document.getElementById("nodes")?.
focus());else if(S.key==="Escape")p>=0?f(-1):a!==""?(i(""),v("")):s.current?.blur();else return;S.preventDefault(),S.stopPropagation()}}),a!==""&&t("button",{type:"\
button",class:"icon-button","aria-label":"Clear the filter",onClick:()=>{i(""),v(""),s.current?.focus()},children:t(A,{name:"close"})})]}),t("ul",{class:"offers",
id:`${r}-list`,role:"listbox","aria-label":"Completions",hidden:R.length===0,children:R.map((S,J)=>t("li",{id:`${r}-${J}`,role:"option","aria-selected":J===p,class:"\
offer",onPointerDown:P=>{P.preventDefault(),$(J)},children:[t("span",{children:S.label}),t("span",{class:"faint",children:S.about})]},S.label))}),M!==null&&t("p",
{class:"query-wrong",role:"alert",children:[t("code",{children:[e.slice(0,M.start),t("mark",{children:e.slice(M.start,M.end)}),e.slice(M.end)]})," ",M.text,M.suggestion!==
null&&t(b,{small:!0,kind:"quiet",onClick:()=>v(e.slice(0,M.start)+(M.suggestion??"")+e.slice(M.end)),children:["Use ",M.suggestion]})]})]})}var $c=new Set(["created","deleted","provision","error","maintenance","updated","warning","resumed"]),ur=e=>$c.has(e.kind),no=8,ma=[["resource_class","resource \
class"],["driver","driver"],["conductor","conductor"],["conductor_group","conductor group"],["chassis","chassis"],["shard","shard"],["owner","owner"],["state","\
state"]];function ha(){let e=Q.value.get("q")??"",n=Q.value.get("by")??tr.value,o=Q.value.get("as")==="table",r=e===""?"":`&q=${C(e)}`,s=O(`/corten/v1/fleet?by=${C(
n)}${r}`,{on:ur,atMost:1e3,keep:!0}),a=O(`/corten/v1/failures?${r.slice(1)}`,{on:ur,atMost:1e3,every:3e4,keep:!0}),i=O("/corten/v1/work",{every:2e3}),l=O("/cort\
en/v1/status",{every:1e4});Be([{keys:"t",about:"map as a table, and back",run:()=>U({as:o?null:"table"})},{keys:"/",about:"filter",run:()=>document.getElementById(
"query")?.focus()}]);let u=s.data.value;if(u!==void 0&&u.total===0&&e==="")return t(Sc,{});let d=ae.value?.group_key?[...ma,[`extra.${ae.value.group_key}`,ae.value.
group_key]]:ma;return t("div",{class:"fleet",children:[t("h1",{class:"hidden",children:"Fleet"}),t("div",{class:"fleet-top",children:[t(N,{class:"needs",title:t(
_,{children:["Needs a person",a.data.value!==void 0&&a.data.value.total>0&&t("span",{class:"count count-failed",children:L(a.data.value.total)})]}),children:t(H,
{doc:a,lines:4,children:c=>t(Cc,{failures:c,status:l.data.value,filter:e})})}),t(N,{class:"under-way",title:t(_,{children:["Under way",i.data.value!==void 0&&t(
"span",{class:"count",children:L(i.data.value.total)})]}),actions:i.data.value!==void 0&&i.data.value.total>0?t("a",{class:"button button-quiet button-small",href:E(
["nodes"],{q:"state:working,waiting",sort:"provision_updated_at"}),children:"List"}):void 0,children:t(H,{doc:i,lines:4,children:c=>t(Ec,{work:c})})})]}),t(N,{class:"\
map-panel",title:u===void 0?"Machines":Z(u.total,"machine"),actions:t(_,{children:[t("label",{class:"inline-label",children:["By"," ",t("select",{class:"select",
value:n,onChange:c=>{tr.value=c.currentTarget.value,U({by:null})},children:d.map(([c,p])=>t("option",{value:c,children:p},c))})]}),t(b,{small:!0,kind:"quiet",pressed:o,
onClick:()=>U({as:o?null:"table"}),children:"Table"}),t(le,{commands:{corten:`corten fleet counts --by ${n}`,curl:ee("GET",`/corten/v1/fleet?by=${n}${r}`)}})]}),
children:[t(to,{q:e,onQuery:c=>U({q:c}),error:s.error.value}),t(H,{doc:s,lines:2,children:c=>t(_,{children:[t(Ac,{counts:c,q:e}),o?t(Pc,{fleet:c,q:e}):t(Oc,{by:n,
q:e}),c.left_out>0&&t("p",{class:"faint",children:[Z(c.left_out,"smaller group")," not shown."]})]})})]})]})}function Sc(){return t(W,{title:"No machines yet",children:[
t("p",{children:"Every machine of your racks will be here, with what it does and what it needs."}),t("p",{class:"row",children:[t("a",{class:"button button-main",
href:E(["enrol"]),children:"Enrol machines"}),t("span",{class:"faint",children:["or try a rack of fake ones: ",t("code",{children:"corten demo"})]})]})]})}function Cc({
failures:e,status:n,filter:o}){let[r,s]=g(!1),a=(n?.problems??[]).filter(i=>i.code!=="failed_nodes");return e.causes.length===0&&a.length===0?t("div",{class:"al\
l-well",children:[t(A,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"Nothing needs a person"}),t("p",{class:"faint",children:"Failed\
, faulty and stuck machines appear here with their cause and what to do."})]})]}):t("ul",{class:"causes",children:[a.map(i=>t("li",{class:"cause",children:[t("s\
pan",{class:"cause-count cause-warn",children:t(A,{name:"warn"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:i.text}),t("p",
{class:"cause-advice",children:t(St,{text:i.advice})})]}),t("a",{class:"button button-small",href:E(["conductors"]),children:"Show"})]},i.code)),e.causes.slice(
0,r?void 0:no).map(i=>t(Tc,{cause:i,filter:o},i.code)),e.causes.length>no&&t("li",{class:"causes-more",children:t(b,{small:!0,kind:"quiet",expanded:r,onClick:()=>s(
!r),children:r?`The first ${no} only`:`Show ${Z(e.causes.length-no,"more cause")}`})})]})}function Tc({cause:e,filter:n}){let o=e.count===1?e.nodes[0]:void 0,r=o===
void 0?E(["nodes"],{q:gt(n,e.q)}):E(["nodes",o.name??o.uuid]);return t("li",{class:"cause",children:[t("span",{class:"cause-count",children:[t(V,{look:"failed"}),
" ",L(e.count)]}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:e.sentence??e.example??"You may not see the cause."}),e.advice!==
null&&t("p",{class:"cause-advice",children:t(St,{text:e.advice})}),t("p",{class:"cause-nodes faint",children:[e.since!==null&&t(_,{children:["since ",t(Le,{at:e.
since})," "]}),e.nodes.slice(0,3).map(s=>t("a",{href:E(["nodes",s.name??s.uuid]),children:s.name??s.uuid.slice(0,8)},s.uuid)),e.count>3&&t("span",{children:["an\
d ",L(e.count-3)," more"]})]})]}),t("a",{class:"button button-small",href:r,"aria-label":o===void 0?`List ${e.count} nodes: ${e.sentence??""}`:`Open ${o.name??o.
uuid}`,children:o===void 0?"List":"Open"})]})}function Ec({work:e}){return e.operations.length===0?t(W,{title:"Nothing is under way",children:"Deployments, clea\
ning and inspections appear here while they run."}):t("ul",{class:"work",children:[e.operations.slice(0,7).map(n=>t(Mc,{operation:n},n.node)),e.total>7&&t("li",
{class:"faint",children:["\u2026 ",L(e.total-7)," more"]})]})}function Mc({operation:e}){let n=e.name??e.node,{progress:o,waiting:r}=e,s=o!==null&&o.bytes!==null&&
o.total!==null?Re(o.bytes,o.total):null;return t("li",{class:"work-row",children:[t("a",{class:"work-name",href:E(["nodes",n]),children:[t(V,{look:e.look})," ",
n]}),t("span",{class:"work-verb",children:e.verb??e.provision_state}),t("span",{class:`work-what${r?.is_stuck===!0?" stuck":""}`,children:[r!==null?`waits ${Ee(
r.since)} for ${r.for}`:e.phase??e.step??e.provision_state,e.steps_total!==null&&e.steps_total>1&&` \xB7 step ${Math.min((e.steps_done??0)+1,e.steps_total)} of ${e.
steps_total}`,o?.rate!==null&&o?.rate!==void 0&&` \xB7 ${_e(o.rate)}/s`,o?.eta!==null&&o?.eta!==void 0&&` \xB7 ${he(o.eta)} left`]}),t("span",{class:"work-age",
children:t(fe,{at:e.started_at??e.state_since})}),s!==null&&t(De,{value:s,label:`${n}: ${Math.round(s)} %`})]})}function Ac({counts:e,q:n}){let o=dn.filter(({look:r})=>e.
looks[r]>0);return t("div",{class:"summary",children:[t("div",{class:"summary-bar","aria-hidden":"true",children:o.map(({look:r})=>t("span",{class:`fill-${r}`,style:{
flexGrow:e.looks[r]}},r))}),t("ul",{class:"summary-list",children:[dn.map(({look:r,word:s})=>t("li",{children:t("a",{class:`tally look-${r}${e.looks[r]===0?" ta\
lly-none":""}`,href:E(["nodes"],{q:gt(n,`state:${r}`)}),children:[t(V,{look:r})," ",t("span",{class:"tally-word",children:s})," ",t("strong",{children:L(e.looks[r])})]})},
r)),e.maintenance>0&&t("li",{children:t("a",{class:"tally",href:E(["nodes"],{q:gt(n,"maint:yes")}),children:[t("span",{class:"chip chip-hatch",children:"mainten\
ance"})," ",t("strong",{children:L(e.maintenance)})]})})]})]})}function Pc({fleet:e,q:n}){return t("div",{class:"scroll-x",children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"group"}),t("th",{scope:"col",class:"num",children:"machines"}),dn.map(({look:o,word:r})=>t("\
th",{scope:"col",class:"num",children:r},o)),t("th",{scope:"col",class:"num",children:"maintenance"})]})}),t("tbody",{children:e.groups.map(o=>t("tr",{children:[
t("th",{scope:"row",children:t("a",{href:E(["nodes"],{q:gt(n,o.q)}),children:lr(o.name)})}),t("td",{class:"num",children:L(o.total)}),dn.map(({look:r})=>t(Nc,{look:r,
count:o.looks[r],to:gt(n,o.q,`state:${r}`)},r)),t("td",{class:"num",children:o.maintenance===0?t("span",{class:"faint",children:"0"}):L(o.maintenance)})]},o.q))})]})})}
function Nc({look:e,count:n,to:o}){return t("td",{class:"num",children:n===0?t("span",{class:"faint",children:"0"}):t("a",{class:`look-${e}`,href:E(["nodes"],{q:o}),
children:L(n)})})}function Oc({by:e,q:n}){let o=qt(void 0),[r,s]=g(null);return D(()=>{let a=null,i,l=0,u=!1,d=async()=>{i=void 0,l=Date.now();try{let p=await Ft(
`/corten/v1/fleet/map?by=${C(e)}&q=${C(n)}`,{headers:a===null?{}:{"If-None-Match":a}});if(u||p.status===304)return;a=p.headers.get("etag"),o.value=await p.json(),
Ut(o.value.cursor),s(null)}catch(p){u||s($e(p))}},c=mt(p=>{i!==void 0||!p.some(ur)||(i=window.setTimeout(()=>{d()},Math.max(0,l+2e3-Date.now())))});return d(),()=>{
u=!0,c(),window.clearTimeout(i)}},[e,n,Tt.value,We.value]),r!==null&&o.value===void 0?t(be,{error:r}):o.value===void 0?t(Ae,{lines:5}):o.value.total===0?t(W,{title:"\
No machine matches",children:"Change the filter, or clear it."}):t(fa,{map:o.value,q:n})}function ga(){let e=ae.value,[n,o]=g("");if(e===void 0)return t(Ae,{lines:6});let r=e.rules.filter(s=>s.includes(n.trim()));return t("div",{class:"stack",children:[
t("div",{class:"page-head",children:t("h1",{children:Yn(e)})}),t("div",{class:"cards",children:[t(N,{title:"Who I am",level:3,children:t(ge,{rows:[["Sign-in",e.
mode],["User",e.user_name??e.user],["Project",e.project_name??e.project],["System scope",e.system_scope],["Roles",e.roles.join(", ")],["Session ends",e.session===
null?null:t(Le,{at:e.session.expires_at})],["Service",`version ${e.version}, API up to ${e.api_version}`]]})}),t(N,{title:"This browser",level:3,children:t("div",
{class:"form",children:[t("div",{class:"segmented",role:"radiogroup","aria-label":"Theme",children:["light","dark","system"].map(s=>t("label",{children:[t("inpu\
t",{type:"radio",name:"theme",checked:rt.value===s,onChange:()=>zt(s)}),t("span",{children:s==="system"?"as the system":s})]},s))}),t("label",{class:"check-line",
children:[t("input",{type:"checkbox",checked:Ye.value,onChange:s=>Ye.value=s.currentTarget.checked})," single letters are keys"]}),t("p",{children:t("a",{href:"\
/ui/licences.txt",target:"_blank",rel:"noopener",children:"Licences of what is in this page"})})]})})]}),t(N,{title:`Rules granted \xB7 ${r.length}`,level:3,actions:t(
"input",{class:"input filter","aria-label":"Filter rules",placeholder:"Filter",value:n,onInput:s=>o(s.currentTarget.value)}),children:[e.is_open&&t("p",{class:"\
faint",children:"In this mode everybody who gets in may do everything."}),r.length===0?t(W,{title:"No rule matches"}):t("ul",{class:"rules",children:r.map(s=>t(
"li",{children:t("code",{children:s})},s))})]})]})}function Ze({label:e,choices:n,kind:o="plain",name:r,right:s}){let[a,i]=g(!1),l=Y(null),u=Y(null),d=()=>[...l.current?.querySelectorAll('[role^="menuitem"]')??[]];
D(()=>{if(!a)return;d()[0]?.focus();let f=m=>{m.target instanceof Node&&l.current?.contains(m.target)===!1&&i(!1)};return document.addEventListener("pointerdown",
f),()=>document.removeEventListener("pointerdown",f)},[a]);let c=()=>{i(!1),u.current?.focus()},p=f=>{let m=d(),h=m.indexOf(document.activeElement);m[(h+f+m.length)%
m.length]?.focus()};return t("div",{class:"menu",ref:l,children:[t("button",{ref:u,type:"button",class:`button button-${o}`,"aria-haspopup":"menu","aria-expande\
d":a,"aria-label":r,onClick:()=>i(!a),onKeyDown:f=>{f.key==="ArrowDown"&&(f.preventDefault(),i(!0))},children:[e," ",t(A,{name:"down"})]}),a&&t("div",{class:`me\
nu-list${s===!0?" menu-right":""}`,role:"menu","aria-label":r??"Choices",onKeyDown:f=>{if(f.stopPropagation(),f.key==="Escape"||f.key==="Tab")c();else if(f.key===
"ArrowDown"||f.key==="j")p(1);else if(f.key==="ArrowUp"||f.key==="k")p(-1);else if(f.key==="Home")d()[0]?.focus();else if(f.key==="End")d().at(-1)?.focus();else
return;f.preventDefault()},children:n.map(f=>t("button",{type:"button",role:f.checked===void 0?"menuitem":"menuitemcheckbox","aria-checked":f.checked,"aria-disa\
bled":f.why!==null&&f.why!==void 0,tabIndex:-1,class:`menu-item${f.danger===!0?" menu-danger":""}`,onClick:()=>{f.why!==null&&f.why!==void 0||(c(),f.onPick())},
children:[t("span",{class:"menu-label",children:[f.checked!==void 0&&t("span",{class:"menu-check",children:f.checked?t(A,{name:"check"}):null}),f.label]}),(f.why??
f.about)!==void 0&&(f.why??f.about)!==null&&t("span",{class:"menu-about",children:f.why??f.about})]},f.label))})]})}function ba({node:e,me:n,reload:o}){let[r,s]=g(null),[a,i]=g(null),l=e.name??e.uuid,u=Ms(e.provision_state),d=ht.filter(h=>!u.includes(h));D(()=>i(null),[e.provision_state,
e.power_state,e.maintenance,e.reservation]);let c=async(h,k)=>{s(null),i(h);try{await k(x=>F(`Waiting: ${x.message}`)),F(`${h}: asked for.`),o()}catch(x){i(null),
G(`${h} was refused`,x)}},p=h=>{h.asks===!0?U({do:h.verb}):h.destroys===!0?s({kind:"verb",action:h}):c(h.label,k=>ot(e.uuid,{target:h.target},k))},f=Q.value.get(
"do");D(()=>{let h=ht.find(x=>x.verb===f);if(h===void 0||h.asks===!0)return;U({do:null},!0);let k=Kt(e,h,n);k===null?p(h):F(`Not now: ${k}.`)},[f]);let m=ce(n,Ne.
power)??Ko(e);return t("div",{class:"verbs",children:[u.map(h=>t(b,{kind:As(e.provision_state,h.verb)?"main":h.destroys===!0?"danger":"plain",why:Kt(e,h,n),onClick:()=>p(
h),children:[h.label,h.asks===!0||h.destroys===!0?"\u2026":""]},h.verb)),t(Ze,{label:"Power",choices:Es.map(h=>({label:h.label,why:m,danger:"destroys"in h,onPick:()=>"\
destroys"in h&&e.provision_state==="active"?s({kind:"power",target:h.target,label:h.label}):void c(h.label,k=>Qo(e.uuid,h.target,k))}))}),t(Ze,{label:"More",choices:[
{label:e.maintenance?"End maintenance":"Maintenance\u2026",why:ce(n,e.maintenance?Ne.resume:Ne.maintain),about:e.maintenance?"let the service work on it again":
"keep the service from working on it",onPick:()=>e.maintenance?void c("End of maintenance",()=>Zo(e.uuid,!1,"")):s({kind:"maintenance"})},{label:"Forget this no\
de\u2026",danger:!0,why:ce(n,Ne.remove),about:"delete it from the service",onPick:()=>s({kind:"remove"})},...d.map(h=>({label:h.label,why:Kt(e,h,n),about:h.about,
onPick:()=>p(h)}))]}),a!==null&&t("span",{class:"asked",role:"status",children:[a,": asked for \u2026"]}),r?.kind==="verb"&&t(ze,{title:`${r.action.label} ${l}`,
text:t("p",{children:["It will ",r.action.about,". What is on its disks is lost."]}),word:l,action:r.action.label,onClose:()=>s(null),onYes:()=>{c(r.action.label,
h=>ot(e.uuid,{target:r.action.target},h))},children:[t(Pe,{label:"corten",text:`corten node ${r.action.command} ${re(l)}`}),t(Pe,{label:"curl",text:ee("PUT",`/v\
1/nodes/${C(e.uuid)}/states/provision`,{target:r.action.target})})]}),r?.kind==="power"&&t(ze,{title:`${r.label}: ${l}`,text:t("p",{children:"The machine is in \
use. Whatever runs on it stops at once."}),word:l,action:r.label,onClose:()=>s(null),onYes:()=>{c(r.label,h=>Qo(e.uuid,r.target,h))}}),r?.kind==="maintenance"&&
t(Rc,{name:l,onClose:()=>s(null),onYes:h=>{c("Maintenance",()=>Zo(e.uuid,!0,h))}}),r?.kind==="remove"&&t(ze,{title:`Forget ${l}`,text:t("p",{children:"The servi\
ce forgets the machine with its ports and its history. The machine itself stays as it is."}),word:l,action:"Forget",onClose:()=>s(null),onYes:()=>{s(null),j("DE\
LETE",`/v1/nodes/${C(e.uuid)}`).then(()=>{F(`${l} is forgotten.`),X(E(["nodes"]))},h=>G(`${l} could not be deleted`,h))}})]})}function Rc({name:e,onClose:n,onYes:o}){
let[r,s]=g("");return t(de,{title:`Maintenance of ${e}`,onClose:n,foot:t(_,{children:[t(b,{onClick:n,children:"Cancel"}),t(b,{kind:"main",onClick:()=>o(r),children:"\
Begin maintenance"})]}),children:[t("p",{children:"The service does not work on the machine until maintenance ends."}),t("form",{onSubmit:a=>{a.preventDefault(),
o(r)},children:t(q,{label:"Reason",hint:"Others see it.",children:a=>t("input",{id:a,class:"input",autofocus:!0,value:r,onInput:i=>s(i.currentTarget.value)})})})]})}var dr=["name","uuid","provision_state","target_provision_state","provision_updated_at","power_state","maintenance","fault","resource_class","driver","conductor",
"conductor_group","owner","lessee","instance_uuid","cause"];function Lc(e){let n=e==null?"":String(typeof e=="object"?e.sentence??"":e),o=/^[=+\-@\t\r]/.test(n)?
`'${n}`:n;return/[",\n\r]/.test(o)?`"${o.replaceAll('"','""')}"`:o}function Dc(e){return e.map(n=>dr.map(o=>Lc(n[o])).join(",")+`\r
`).join("")}async function va(e,n){try{let o=[dr.join(",")+`\r
`],r=0;for(;;){let s=await ne(`/corten/v1/nodes?q=${C(e)}&sort=${C(n)}&limit=1000&offset=${r}&fields=${dr.join(",")}`);if(o.push(Dc(s.nodes)),r+=s.nodes.length,
s.nodes.length===0||r>=s.total)break}_n("nodes.csv",new Blob(o,{type:"text/csv"})),F(`${r} rows saved.`)}catch(o){G("The file could not be made",o)}}function _n(e,n){
let o=document.createElement("a");o.href=URL.createObjectURL(n),o.download=e,o.click(),window.setTimeout(()=>URL.revokeObjectURL(o.href),1e4)}function ya({node:e}){let n=`/corten/v1/nodes/${C(e.uuid)}/recorder`,o=O(n,{every:5e3}),[r,s]=g(""),[a,i]=g(!1),l=e.name??e.uuid;return t("div",{class:"stack",children:[
t(Bc,{uuid:e.uuid}),t(N,{title:"Flight recorder",actions:t(_,{children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:a,onChange:u=>i(
u.currentTarget.checked)})," failures only"]}),t("input",{class:"input filter","aria-label":"Filter exchanges",placeholder:"Filter",value:r,onInput:u=>s(u.currentTarget.
value)}),t(b,{small:!0,why:o.data.value===void 0||o.data.value.exchanges.length===0?"nothing was recorded":null,onClick:()=>{let u=o.data.value;if(u===void 0)return;
let d=[u.recording,...u.exchanges].map(c=>JSON.stringify(c)+`
`);_n(`${l}.jsonl`,new Blob(d,{type:"application/jsonl"}))},children:"Export"}),t(le,{commands:{corten:`corten node recorder show ${re(l)}`,curl:ee("GET",n)}})]}),
children:t(H,{doc:o,lines:6,children:u=>t(Ic,{all:u.exchanges,filter:r,bad:a})})})]})}function Yt(e){return e.failure!==void 0&&e.failure!==null}function Ic({all:e,
filter:n,bad:o}){let[r,s]=g(null),a=n.toLowerCase(),i=e.filter(l=>(!o||Yt(l))&&(a===""||JSON.stringify(l).toLowerCase().includes(a))).sort((l,u)=>Number(Yt(u))-
Number(Yt(l))||u.last.localeCompare(l.last)).slice(0,300);return e.length===0?t(W,{title:"Nothing was said to its BMC yet",children:"Requests to the BMC and the\
ir answers appear here, without passwords."}):i.length===0?t(W,{title:"No exchange matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"last"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"for"}),t("th",{scope:"\
col",class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"times"}),t("th",{scope:"col"})]})}),t("tbody",{children:i.map((l,u)=>t(_,{children:[
t("tr",{children:[t("td",{children:t(Le,{at:l.last})}),t("td",{class:Yt(l)?"wrong":"",children:[Yt(l)&&t(V,{look:"failed"})," ",l.summary??JSON.stringify(l.question),
Yt(l)&&t(_,{children:[" \u2014 ",l.failure]})]}),t("td",{children:l.operation??""}),t("td",{class:"num",children:[l.took_ms," ms"]}),t("td",{class:"num",children:l.
count}),t("td",{children:t(b,{small:!0,kind:"quiet",expanded:r===l,onClick:()=>s(r===l?null:l),children:r===l?"Less":"All of it"})})]}),r===l&&t("tr",{children:t(
"td",{colSpan:6,children:t("pre",{class:"json",children:JSON.stringify({question:l.question,answer:l.answer??null},null,2)})})})]},`${l.first}-${u}`))})]})})}function Bc({
uuid:e}){let[n,o]=g({busy:!1,error:null,sensors:null}),r=async()=>{o({...n,busy:!0,error:null});try{let s=await ne(`/corten/v1/nodes/${C(e)}/sensors`);o({busy:!1,
error:null,sensors:s.sensors})}catch(s){o({busy:!1,error:$e(s),sensors:null})}};return t(N,{title:"Sensors",actions:t(b,{small:!0,busy:n.busy,onClick:()=>{r()},
children:"Read now"}),children:[n.error!==null&&t(be,{error:n.error}),n.error===null&&n.sensors===null&&t("p",{class:"faint",children:"The BMC is asked when you\
 press the button."}),n.sensors!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:t("tbody",{children:Object.entries(n.sensors).flatMap(
([s,a])=>Object.entries(a).map(([i,l])=>t("tr",{children:[t("td",{class:"faint",children:s}),t("th",{scope:"row",children:i}),t("td",{children:qc(l)})]},s+i)))})})})]})}
function qc(e){let n=e["Sensor Reading"]??e.reading??e.reading_celsius??e.reading_rpm,o=e.Units??e.reading_units;return n!=null?`${String(n)}${o===void 0?"":` ${String(
o)}`}`:Object.entries(e).filter(([,r])=>typeof r!="object"&&r!==null).slice(0,4).map(([r,s])=>`${r}: ${String(s)}`).join(", ")}var pr=["firmware","address","loader","script","kernel","ramdisk","agent"],Fc={nothing_seen:"firmware",not_ours:"firmware",nothing_to_boot:"firmware",no_address:"\
address",other_server:"address",offer_not_taken:"address",wrong_firmware:"loader",loader_not_asked:"loader",loader_missing:"loader",loader_stalled:"loader",loader_does_not_run:"\
loader",script_not_asked:"script",script_missing:"script",config_not_asked:"script",config_missing:"script",kernel_not_asked:"kernel",kernel_missing:"kernel",file_stalled:"\
kernel",ramdisk_not_asked:"ramdisk",ramdisk_missing:"ramdisk",agent_silent:"agent"},wa=new Set(["booted","from_disk","under_way"]);function ka({node:e,busy:n}){
let o=O(`/corten/v1/nodes/${C(e.uuid)}/boot-log`,{every:n?2e3:void 0}),r=o.error.value;return r!==void 0&&o.data.value===void 0&&r.status<500&&r.status!==403?t(
W,{title:"Nothing is known about how it boots",children:r.message}):t(H,{doc:o,lines:6,children:s=>t(jc,{log:s})})}function jc({log:e}){let{cause:n,finding:o,advice:r}=e.
diagnosis,s=Fc[n],a=s===void 0?n==="booted"?pr.length:-1:pr.indexOf(s);return t("div",{class:"stack",children:[t("section",{class:`panel matter${wa.has(n)?"":" \
matter-bad"}`,"aria-label":"Finding",children:[t("div",{class:"matter-mark",children:wa.has(n)?t(A,{name:"check"}):t(V,{look:"failed"})}),t("div",{class:"matter\
-words",children:[t("h2",{class:"matter-cause",children:o}),r!==""&&t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",r]})]})]}),t(
"ol",{class:"ladder","aria-label":"How far it came",children:pr.map((i,l)=>t("li",{class:`rung ${l<a?"rung-done":l===a?"rung-stop":""}`,children:[l<a?t(A,{name:"\
check"}):l===a?t(V,{look:"failed"}):t(V,{look:"ready"})," ",i]},i))}),t(N,{title:`Events \xB7 ${e.events.length}`,children:e.events.length===0?t("p",{class:"fai\
nt",children:"The machine has not asked for anything."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"at"}),t("th",{scope:"col",children:"port"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",class:"num",children:"times"})]})}),
t("tbody",{children:e.events.map((i,l)=>t("tr",{children:[t("td",{children:t(Le,{at:i.at})}),t("td",{children:t("code",{children:i.port})}),t("td",{children:i.text}),
t("td",{class:"num",children:i.times})]},l))})]})})})]})}var fr="corten.reloaded";async function _a(e){try{let n=await e();return sessionStorage.removeItem(fr),n}catch(n){throw sessionStorage.getItem(fr)===null&&(sessionStorage.
setItem(fr,"yes"),location.reload()),new Error("A part of the page could not be loaded; the service may be of another version now. Load the page again.",{cause:n})}}function $a(e){let{node:n,me:o,reload:r}=e,[s,a]=g(!1),i=n.name??n.uuid,l=ce(o,Ne.switchConsole),u=async c=>{a(!0);try{await j("PUT",`/v1/nodes/${C(n.uuid)}/sta\
tes/console`,{enabled:c}),F(c?"The console is being switched on.":"The console is being switched off."),r()}catch(p){G("The console could not be switched",p)}a(
!1)};if(!n.console_enabled)return t(W,{title:"The console is off",children:[t("p",{children:["The console interface of ",i," is ",t("code",{children:String(n.console_interface)}),
"."]}),t(b,{kind:"main",why:l,busy:s,onClick:()=>{u(!0)},children:"Switch it on"}),t("code",{children:["corten node console enable ",re(i)]})]});let d=ce(o,Ne.console);
return d!==null?t(W,{title:"You may not use the console",children:d}):String(n.console_interface).endsWith("-graphical")?t(Wc,{node:n,onOff:()=>{u(!1)},why:l}):
Ln(Uc,{...e,key:n.uuid,onOff:()=>{u(!1)},why:l})}function Wc({node:e,onOff:n,why:o}){let[r,s]=g(!1),a=async()=>{s(!0);try{let{console_info:l}=await ne(`/v1/node\
s/${C(e.uuid)}/states/console`),u=new URL(l.url,location.href);if(u.protocol!=="https:"&&u.protocol!=="http:")throw new Error("the address of the console is no \
web page");window.open(u,"_blank","noopener")}catch(l){G("The screen could not be opened",l)}s(!1)},i=e.name??e.uuid;return t(W,{title:"The console is on",children:[
t("p",{children:["It shows the screen of ",i,", in a window of its own, until its token ends."]}),t(b,{kind:"main",busy:r,onClick:()=>{a()},children:"Open the s\
creen"}),t(b,{kind:"quiet",why:o,onClick:n,children:"Switch off"}),t("code",{children:["corten node console show ",re(i)]})]})}function xa(e){return`\r
\x1B[0;7m ${[...e].filter(o=>o>=" "&&o!=="\x7F").join("")} \x1B[0m\r
`}function Uc({node:e,onOff:n,why:o}){let r=Y(null),s=Y(null),a=Y(null),i=Y(null),l=Y(0),[u,d]=g("connecting"),[c,p]=g(!1),[f,m]=g(!1),[h,k]=g(!1),[x,T]=g(null),
[y,v]=g(null),[w,R]=g(""),[$,M]=g(0),S=e.name??e.uuid,J=I=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(new TextEncoder().encode(I))};D(()=>{let I=!1,
ie;return _a(()=>import("./terminal-4PUH3NOJ.js")).then(pe=>{if(I||r.current===null)return;let Se=pe.terminal(r.current,bn.value,h);a.current={tools:pe,...Se},
Se.terminal.onData(J),Se.terminal.attachCustomKeyEventHandler(z=>z.type!=="keydown"||!z.ctrlKey||!z.altKey||z.key!=="Escape"?!0:(Se.terminal.blur(),s.current?.querySelector(
".console-bar button")?.focus(),!1)),ie=new ResizeObserver(()=>Se.fit.fit()),ie.observe(r.current),Se.fit.fit(),Se.terminal.focus(),M(z=>z+1)},pe=>T($e(pe))),()=>{
I=!0,ie?.disconnect(),a.current?.terminal.dispose(),a.current=null}},[h]),D(()=>{let I=a.current;if(I===null)return;let ie=!1;d("connecting"),T(null);let pe=location.
protocol==="https:"?"wss":"ws",Se=`/corten/v1/nodes/${C(e.uuid)}/console?mode=${f?"read":"write"}`,z=new WebSocket(`${pe}://${location.host}${Se}`,["corten.cons\
ole",`corten.key.${Lo()}`]);z.binaryType="arraybuffer",i.current=z;let Ue=!1;return z.onopen=()=>{Ue=!0,d("open")},z.onmessage=it=>{if(it.data instanceof ArrayBuffer){
I.terminal.write(new Uint8Array(it.data));return}let He=JSON.parse(String(it.data));He.type==="writer"?p(He.writer===!0):He.type==="lost"?I.terminal.write(xa(`${He.
bytes??0} characters were lost here`)):He.type==="ended"&&I.terminal.write(xa(`The console ended: ${He.reason??""}`))},z.onclose=()=>{ie||(d("ended"),p(!1),Ue||
Hc(Se).then(it=>!ie&&T(it)))},()=>{ie=!0,z.close()}},[$,f,e.uuid]);let P=I=>{bn.value=Math.max(9,Math.min(28,bn.value+I));let ie=a.current;ie!==null&&(ie.terminal.
options.fontSize=bn.value,ie.fit.fit())},te=I=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(JSON.stringify({type:I})),a.current?.terminal.focus()},ue=u!==
"open"?"the console is not connected":null;return t("div",{class:"console",ref:s,children:[t("div",{class:"console-bar",role:"toolbar","aria-label":"Console",children:[
t("span",{class:`console-state console-${u}`,role:"status",children:u==="connecting"?"connecting \u2026":u==="ended"?"not connected":f?"you watch":c?"you type":
"another user types"}),u==="ended"&&t(b,{small:!0,kind:"main",onClick:()=>M($+1),children:"Connect"}),!c&&!f&&u==="open"&&t(b,{small:!0,onClick:()=>te("take_ove\
r"),children:"Take over"}),t(b,{small:!0,kind:"quiet",why:ue??(c?null:"you do not type"),onClick:()=>te("break"),children:"Break"}),t(b,{small:!0,kind:"quiet",pressed:f,
onClick:()=>m(!f),children:"Read only"}),t(b,{small:!0,kind:"quiet",pressed:h,onClick:()=>k(!h),label:"Text mode, for screen readers",children:"Text mode"}),t(b,
{small:!0,kind:"quiet",label:"A\u2212: smaller text",onClick:()=>P(-1),children:"A\u2212"}),t(b,{small:!0,kind:"quiet",label:"A+: larger text",onClick:()=>P(1),
children:"A+"}),t("form",{class:"console-find",onSubmit:I=>{I.preventDefault();let ie=a.current;if(ie===null||w==="")return;let pe=ie.tools.find(ie.terminal,w,l.
current===0?ie.terminal.buffer.active.length:l.current);pe<0?F("Not found."):l.current=pe},children:t("input",{class:"input filter","aria-label":"Search the out\
put",placeholder:"Search",value:w,onInput:I=>{l.current=0,R(I.currentTarget.value)}})}),t("span",{class:"spring"}),t(b,{small:!0,kind:"quiet",onClick:()=>a.current!==
null&&_n(`${S}.txt`,new Blob([a.current.tools.textOf(a.current.terminal)],{type:"text/plain"})),children:"Save"}),t(b,{small:!0,kind:"quiet",onClick:()=>{s.current?.
requestFullscreen?.()},children:"Full screen"}),t(le,{commands:{corten:`corten node console ${re(S)}`,curl:`# a WebSocket: ${location.host}/corten/v1/nodes/${e.
uuid}/console`}}),t(b,{small:!0,kind:"quiet",why:o,onClick:n,children:"Switch off"})]}),x!==null&&t(be,{error:x}),t("div",{class:"console-screen",ref:r,onPasteCapture:I=>{
let ie=I.clipboardData?.getData("text")??"";/[\r\n]/.test(ie.trimEnd())&&(I.preventDefault(),I.stopPropagation(),v(ie))}}),t("p",{class:"faint console-hint",children:[
t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Alt"})," ",t("kbd",{children:"Esc"})," gives the keyboard back to the page."]}),y!==null&&t(de,{title:"Paste s\
everal lines?",onClose:()=>v(null),foot:t(_,{children:[t(b,{onClick:()=>v(null),children:"Cancel"}),t(b,{kind:"main",onClick:()=>{a.current?.terminal.paste(y),v(
null)},children:"Paste"})]}),children:[t("p",{children:"Each line may run a command on the machine."}),t("pre",{class:"json",children:y})]})]})}async function Hc(e){
try{await j("GET",e)}catch(n){let o=$e(n);if(o.status!==426)return o}return $e(new Error("The console cannot be joined now: the machine or its BMC does not offe\
r it."))}function Sa({plan:e,hint:n,wrong:o,onHint:r}){let s=e?.disks??null;return t("fieldset",{class:"choice",children:[t("legend",{children:"Disk"}),s===null?t("p",{class:"\
faint",children:"The machine was not inspected, so its disks are not known. Without a hint the service takes the smallest disk that fits."}):t("div",{class:"dis\
ks",children:s.map(a=>{let i=a.hint===null?null:JSON.stringify(a.hint);return t("label",{class:`disk${a.fits===!0?" disk-fits":""}`,children:[t("input",{type:"r\
adio",name:"disk",checked:i!==null&&i===n,disabled:i===null,onChange:()=>i!==null&&r(i)}),t("span",{children:[t("strong",{children:a.name.replace("/dev/","")}),
" ",_e(a.size)," ",a.rotational===!0?"spinning":a.rotational===!1?"SSD":""," ",t("span",{class:"faint",children:a.model??""}),a.fits===!0&&t("span",{class:"chip",
children:"the hint means this one"})]})]},a.name)})}),t(q,{label:"Root device hint",error:o??e?.root_device?.error,hint:"Empty: the service chooses.",children:a=>t(
"input",{id:a,class:"input",spellcheck:!1,placeholder:'{"size": ">= 900"}',value:n,onInput:i=>r(i.currentTarget.value)})})]})}function Ca({plan:e,error:n,asked:o,
changes:r,ident:s}){return t("section",{class:`plan${o?" plan-old":""}`,"aria-label":"Plan","aria-busy":o,children:[t("h3",{children:"Plan"}),e===null&&n===null&&
t(Ae,{lines:3}),n!==null&&t("p",{class:"wrong",children:n.message}),e!==null&&t(_,{children:[t("p",{class:e.is_accepted?"good":"wrong",children:[e.is_accepted?t(
A,{name:"check"}):t(V,{look:"failed"})," ",e.is_accepted?"accepted":e.refusal?.text??"refused"]}),e.states.length>0&&t("p",{class:"plan-states",children:e.states.
map((a,i)=>t("span",{children:[i>0&&" \u2192 ",a]},i))}),e.steps.length>0&&t("ol",{class:"plan-steps",children:e.steps.map((a,i)=>t("li",{children:[a.interface,
".",a.step," ",t("span",{class:"faint",children:["(",a.source,")"]})]},i))}),e.more_steps!==null&&t("p",{class:"faint",children:e.more_steps}),(e.validation??[]).
filter(a=>a.result===!1).map(a=>t("p",{class:"wrong",children:[t(V,{look:"failed"})," ",a.interface,": ",a.reason," ",t("a",{href:E(["nodes",s],{tab:"settings"}),
children:"set it"})]},a.interface))]}),r.length>0&&t("p",{class:"faint",children:["Before that, ",r.length===1?"one field of the node is written":`${r.length} f\
ields of the node are written`,": ",r.map(a=>a.path.slice(1)).join(", "),". The plan takes the node as it is now."]})]})}var Kc=400;function Ta({action:e,node:n,me:o,onClose:r,reload:s}){let a=n.instance_info,i=B=>typeof a[B]=="string"?a[B]:"",l=i("image_os_hash_value")!==""?`${i(
"image_os_hash_algo")}:${i("image_os_hash_value")}`:i("image_checksum"),[u,d]=g(i("image_source")),[c,p]=g(l===""&&i("image_source")!==""?"none":/^\w+:\/\//.test(
l)?"file":"checksum"),[f,m]=g(l),[h,k]=g(JSON.stringify(n.properties.root_device??{})==="{}"?"":JSON.stringify(n.properties.root_device)),[x,T]=g("none"),[y,v]=g(
""),[w,R]=g(""),[$,M]=g(""),[S,J]=g(""),[P,te]=g(""),[ue,I]=g({plan:null,error:null,asked:!0}),[ie,pe]=g(!1),Se=n.name??n.uuid,z=e.verb==="deploy"||e.verb==="re\
build",Ue=z||e.verb==="clean"||e.verb==="service",it=O(e.verb==="clean"||e.verb==="service"?"/v1/runbooks":null),He=mr(w),Xt=mr(h===""?"{}":h),Er=w!==""&&!Array.
isArray(He)?'Steps are a JSON list, such as [{"interface": "deploy", "step": "\u2026", "args": {}}].':null,Mr=h!==""&&(typeof Xt!="object"||Xt===null)?'Hints ar\
e a JSON object, such as {"wwn": "0x\u2026"}.':null,Ar=mr(y),fo=!z||x==="none"?null:y.trim()===""?"The config drive is empty; choose none to do without.":x==="J\
SON"&&!Jc(Ar)?'The config drive is a JSON object, such as {"meta_data": {}, "user_data": "\u2026"}.':null,Bi=()=>{if(!(!z||x==="none"||fo!==null))return x==="us\
er data"?{user_data:y}:x==="JSON"?Ar:y},En=()=>{let B={target:e.target},se=Bi();return se!==void 0&&(B.configdrive=se),$!==""?B.runbook=$:Array.isArray(He)&&(He.
length>0||e.verb==="clean"||e.verb==="service")&&(B[e.verb==="clean"?"clean_steps":e.verb==="service"?"service_steps":"deploy_steps"]=He),e.verb==="rescue"&&(B.
rescue_password=S),B},qi=()=>{if(!z)return[];let B=[],se=(mo,ho)=>{i(mo)!==ho&&B.push(ho===""?{op:"remove",path:`/instance_info/${mo}`}:{op:"add",path:`/instanc\
e_info/${mo}`,value:ho})};se("image_source",u);let[Xe,Ui]=Vc(f);c==="checksum"&&Xe!==null?(se("image_os_hash_algo",Xe),se("image_os_hash_value",Ui),se("image_ch\
ecksum","")):(se("image_checksum",c==="none"?"":f),se("image_os_hash_algo",""),se("image_os_hash_value",""));let Nr=n.properties.root_device;return h===""&&Nr!==
void 0?B.push({op:"remove",path:"/properties/root_device"}):h!==""&&Xt!==null&&JSON.stringify(Nr)!==JSON.stringify(Xt)&&B.push({op:"add",path:"/properties/root_\
device",value:Xt}),B},Pr=JSON.stringify(En());D(()=>{I(se=>({...se,asked:!0}));let B=window.setTimeout(()=>{j("POST",`/corten/v1/nodes/${C(n.uuid)}/plan`,JSON.parse(
Pr)).then(se=>I({plan:se,error:null,asked:!1}),se=>I({plan:null,error:$e(se),asked:!1}))},Kc);return()=>window.clearTimeout(B)},[Pr,n.updated_at]);let en=qi(),Fi=Kt(
n,e,o)??Er??Mr??fo??(e.verb==="rescue"&&S===""?"a password is missing":null)??((e.verb==="clean"||e.verb==="service")&&w===""&&$===""?"steps or a runbook are mi\
ssing":null)??(e.destroys===!0&&P!==Se?`type ${Se} first`:null),ji=async()=>{pe(!0);try{en.length>0&&await Vt(n.uuid,en),await ot(n.uuid,En(),B=>F(`Waiting: ${B.
message}`)),u!==""&&(eo.value=[u,...eo.value.filter(B=>B!==u)].slice(0,8)),F(`${e.label}: asked for.`),s(),r()}catch(B){G(`${e.label} was refused`,B),s()}pe(!1)},
Wi=[...en.length>0?[`corten node set ${re(Se)}${en.filter(B=>B.op==="add").map(B=>` ${B.path.startsWith("/properties/")?"--property":"--instance-info"} ${re(`${B.
path.split("/")[2]??""}=${typeof B.value=="string"?B.value:JSON.stringify(B.value)}`)}`).join("")}`]:[],`corten node ${e.command} ${re(Se)}`].join(" && ");return t(
de,{wide:!0,title:`${e.label} ${Se}`,onClose:r,foot:t(_,{children:[t("span",{class:"spring"}),t(b,{onClick:r,children:"Cancel"}),t(b,{kind:e.destroys===!0?"dang\
er":"main",why:Fi,busy:ie,onClick:()=>{ji()},children:e.label})]}),children:t("div",{class:"form",children:[z&&t(_,{children:[t(q,{label:"Image",hint:"Address o\
f a disk image, or the id of one in Glance.",children:(B,se)=>t(_,{children:[t("input",{id:B,class:"input",list:"lately",autofocus:!0,spellcheck:!1,"aria-descri\
bedby":se,placeholder:"https://images.example/debian-13.qcow2",value:u,onInput:Xe=>d(Xe.currentTarget.value.trim())}),t("datalist",{id:"lately",children:eo.value.
map(Xe=>t("option",{value:Xe},Xe))})]})}),t("fieldset",{class:"choice",children:[t("legend",{children:"Checksum"}),t("div",{class:"segmented",children:["checksu\
m","file","none"].map(B=>t("label",{children:[t("input",{type:"radio",name:"sum",checked:c===B,onChange:()=>p(B)}),t("span",{children:B==="checksum"?"value":B===
"file"?"checksum file":"none (not advised)"})]},B))}),c!=="none"&&t("input",{class:"input","aria-label":c==="file"?"Address of the checksum file":"Checksum",spellcheck:!1,
placeholder:c==="file"?"https://images.example/SHA256SUMS":"sha256:\u2026",value:f,onInput:B=>m(B.currentTarget.value.trim())})]}),t(Sa,{plan:ue.plan,hint:h,wrong:Mr,
onHint:k}),t("fieldset",{class:"choice",children:[t("legend",{children:"Config drive"}),t("div",{class:"segmented",children:["none","user data","JSON","address"].
map(B=>t("label",{children:[t("input",{type:"radio",name:"drive",checked:x===B,onChange:()=>T(B)}),t("span",{children:B})]},B))}),x!=="none"&&t(q,{label:`Config\
 drive: ${x}`,error:y===""?null:fo,children:(B,se)=>t("textarea",{id:B,class:"area","aria-describedby":se,spellcheck:!1,value:y,onInput:Xe=>v(Xe.currentTarget.value)})})]})]}),
e.verb==="rescue"&&t(q,{label:"Password of the rescue system",children:B=>t("input",{id:B,class:"input",type:"password",autofocus:!0,autocomplete:"new-password",
value:S,onInput:se=>J(se.currentTarget.value)})}),(it.data.value?.runbooks.length??0)>0&&t(q,{label:"Runbook",children:B=>t("select",{id:B,class:"select",value:$,
onChange:se=>M(se.currentTarget.value),children:[t("option",{value:"",children:"none: steps below"}),it.data.value?.runbooks.map(se=>t("option",{value:se.name,children:se.
name},se.uuid))]})}),Ue&&$===""&&t("details",{open:w!==""||e.verb==="clean"||e.verb==="service",children:[t("summary",{children:["Steps",z?" besides the usual o\
nes":""]}),t(q,{label:"Steps as JSON",error:Er,hint:'[{"interface": "deploy", "step": "erase_devices_metadata"}]',children:B=>t("textarea",{id:B,class:"area",spellcheck:!1,
value:w,onInput:se=>R(se.currentTarget.value)})})]}),t(Ca,{...ue,changes:en,ident:Se}),e.destroys===!0&&t(q,{label:`What is on its disks is lost. Type ${Se} to \
go on`,children:B=>t("input",{id:B,class:"input",autocomplete:"off",spellcheck:!1,value:P,onInput:se=>te(se.currentTarget.value)})}),t("details",{children:[t("s\
ummary",{children:"Show command"}),t("div",{class:"stack",children:[t(Pe,{label:"corten",text:Wi}),t(Pe,{label:"curl",text:ee("PUT",`/v1/nodes/${C(n.uuid)}/stat\
es/provision`,e.verb==="rescue"?{...En(),rescue_password:"\u2026"}:En())})]})]})]})})}function mr(e){if(e.trim()==="")return[];try{return JSON.parse(e)}catch{return null}}
function Jc(e){return typeof e=="object"&&e!==null&&!Array.isArray(e)}function Vc(e){let n=/^(sha\d+|md5):(.+)$/i.exec(e);return n===null?[null,e]:[(n[1]??"").toLowerCase(),
n[2]??""]}var Gc={timeline:"timeline",boot_log:"boot",recorder:"bmc",history:"history",validation:"settings"},zc={failed:"Failed",fault:"The service found a fault",stuck:"\
Waiting for too long,",error:"The last thing asked of it failed",maintenance:"In maintenance",held:"Held"};function Ea({diagnosis:e,node:n}){let o=zc[e.kind];if(o===
void 0)return null;let r=n.name??n.uuid,s=e.kind!=="maintenance"&&e.kind!=="held";return t("section",{class:`panel matter${s?" matter-bad":""}`,"aria-label":"Wh\
at is the matter",children:[t("div",{class:"matter-mark",children:s?t(V,{look:"failed"}):t(A,{name:"pause"})}),t("div",{class:"matter-words",children:[t("p",{class:"\
matter-kind",children:[o,e.since!==null&&t(_,{children:[" ","since ",t(Le,{at:e.since})," (",Ee(e.since),")"]})]}),t("h2",{class:"matter-cause",children:e.cause?.
sentence??e.meaning}),e.cause?.sentence!==void 0&&e.cause!==null&&t("p",{class:"faint",children:e.meaning}),e.cause?.advice!==null&&e.cause?.advice!==void 0&&t(
"p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",t(St,{text:e.cause.advice}),e.cause.docs!==null&&t(_,{children:[" ","More in ",t("\
code",{children:e.cause.docs}),"."]})]}),e.finding!==null&&t("blockquote",{class:"finding",children:e.finding}),e.maintenance!==null&&t("p",{children:[e.maintenance.
reason!==null&&e.maintenance.reason!==""?`Maintenance: ${e.maintenance.reason}. `:"No reason for the maintenance was given. ",e.maintenance.fault!==null&&`Fault\
: ${e.maintenance.fault}.`]}),e.waiting!==null&&t("p",{children:["Waits ",Ee(e.waiting.since)," for ",e.waiting.for,"."]}),e.evidence.length>0&&t("ul",{class:"e\
vidence","aria-label":"Evidence",children:e.evidence.map(a=>t("li",{children:[t("a",{href:E(["nodes",r],{tab:Gc[a.kind]??"json"}),children:a.kind.replace("_"," ")}),
" ",a.text]},a.kind+a.text))})]})]})}function ve(e){return e==null?"":String(e)}function hr({doc:e,none:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?t(_,{children:o(r)}):s===
void 0?t(Ae,{lines:3}):s.status===404||s.status===400?t("p",{class:"faint",children:n}):t(be,{error:s,retry:e.reload})}function Aa({node:e}){let n=`/v1/nodes/${C(
e.uuid)}`,o=O(`${n}/inventory`),r=O(`${n}/firmware`),s=O(`${n}/management/boot_device`),a=O(`${n}/management/indicators`);return t("div",{class:"stack",children:[
t(N,{title:"Inventory",level:3,children:t(hr,{doc:o,none:"The machine was not inspected yet. Inspect finds out what hardware it has; it must be manageable for t\
hat.",children:i=>t(Yc,{inventory:i.inventory})})}),t("div",{class:"cards",children:[t(N,{title:"Boot",level:3,children:t(ge,{all:!0,rows:[["Boot device",s.data.
value?.boot_device==null?s.error.value?.message??null:`${s.data.value.boot_device}${s.data.value.persistent===!0?", always":", once"}`],["Boot mode",e.boot_mode],
["Secure boot",e.secure_boot===null?null:e.secure_boot===!0?"on":"off"]]})}),t(N,{title:"Firmware",level:3,children:t(hr,{doc:r,none:"The driver does not tell a\
bout firmware.",children:i=>i.firmware.length===0?t("p",{class:"faint",children:"No components are known."}):t("table",{class:"table",children:t("tbody",{children:i.
firmware.map(l=>t("tr",{children:[t("th",{scope:"row",children:ve(l.component)}),t("td",{children:ve(l.current_version)}),t("td",{class:"faint",children:ve(l.last_version_flashed)})]},
ve(l.component)))})})})}),t(N,{title:"RAID",level:3,children:[t(Ma,{title:"Now",config:e.raid_config}),t(Ma,{title:"Wanted",config:e.target_raid_config})]}),t(N,
{title:"Indicators",level:3,children:t(hr,{doc:a,none:"The BMC has none.",children:i=>i.indicators.length===0?t("p",{class:"faint",children:"The BMC has none."}):
t("table",{class:"table",children:t("tbody",{children:i.indicators.map(l=>t("tr",{children:[t("th",{scope:"row",children:ve(l.name)}),t("td",{children:ve(l.component)}),
t("td",{class:"faint",children:l.readonly===!0?"to read":"can be set"})]},ve(l.name)))})})})})]})]})}function Ma({title:e,config:n}){let o=n.logical_disks;return t(
"div",{children:[t("h4",{class:"sub",children:e}),!Array.isArray(o)||o.length===0?t("p",{class:"faint",children:e==="Now"?"No logical disks are known.":"Nothing\
 is wanted."}):t("ul",{children:o.map((r,s)=>t("li",{children:["RAID ",ve(r.raid_level),", ",ve(r.size_gb)," GB ",r.is_root_volume===!0&&t("span",{class:"chip",
children:"root"})]},s))})]})}function Yc({inventory:e}){let{cpu:n,memory:o,disks:r=[],interfaces:s=[],system_vendor:a}=e;return t("div",{class:"stack",children:[
t(ge,{rows:[["Machine",[a?.manufacturer,a?.product_name].filter(Boolean).join(" ")],["Serial",a?.serial_number],["CPU",n===void 0?null:`${ve(n.count)} \xD7 ${ve(
n.model_name??n.architecture)}`],["Memory",o?.physical_mb===void 0?null:_e(o.physical_mb*1048576)],["BMC",e.bmc_address],["Boot mode",ve(e.boot?.current_boot_mode)]]}),
r.length===0?t(W,{title:"No disks were found"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"hidden-text",children:"\
Disks"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"disk"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"\
model"}),t("th",{scope:"col",children:"kind"}),t("th",{scope:"col",children:"serial"}),t("th",{scope:"col",children:"WWN"})]})}),t("tbody",{children:r.map(i=>t(
"tr",{children:[t("th",{scope:"row",children:ve(i.name)}),t("td",{class:"num",children:typeof i.size=="number"?_e(i.size):""}),t("td",{children:[i.vendor,i.model].
filter(Boolean).map(String).join(" ")}),t("td",{children:i.rotational===!0?"spinning":i.rotational===!1?"SSD":""}),t("td",{children:t("code",{children:ve(i.serial)})}),
t("td",{children:t("code",{children:ve(i.wwn)})})]},ve(i.name)))})]})}),t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"\
hidden-text",children:"Network interfaces"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"interface"}),t("th",{scope:"col",children:"MAC"}),
t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"link"}),t("th",{scope:"col",children:"product"})]})}),t("tbody",{children:s.map(i=>t("tr",
{children:[t("th",{scope:"row",children:ve(i.name)}),t("td",{children:t("code",{children:ve(i.mac_address)})}),t("td",{children:ve(i.ipv4_address)}),t("td",{children:i.
has_carrier===!0?"up":i.has_carrier===!1?"down":""}),t("td",{class:"faint",children:[ve(i.vendor)," ",ve(i.product)]})]},ve(i.name)+ve(i.mac_address)))})]})})]})}function Pa({node:e}){let n=O(`/v1/nodes/${C(e.uuid)}/history?detail=True`,{on:i=>i.node===e.uuid,atMost:2e3}),[o,r]=g("all"),[s,a]=g("");return t(N,{title:"His\
tory",level:3,actions:t(_,{children:[t("select",{class:"select","aria-label":"Severity",value:o,onChange:i=>r(i.currentTarget.value),children:[t("option",{value:"\
all",children:"all"}),t("option",{value:"ERROR",children:"errors"}),t("option",{value:"INFO",children:"information"})]}),t("input",{class:"input filter","aria-l\
abel":"Filter history",placeholder:"Filter",value:s,onInput:i=>a(i.currentTarget.value)})]}),children:t(H,{doc:n,lines:6,children:i=>{let l=s.toLowerCase(),u=i.
history.filter(d=>(o==="all"||d.severity===o)&&d.event.toLowerCase().includes(l)).reverse();return u.length===0?t(W,{title:i.history.length===0?"Nothing happene\
d yet":"No entry matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
at"}),t("th",{scope:"col",children:"severity"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"who"})]})}),t("tbody",{children:u.map(d=>t("\
tr",{children:[t("td",{class:"nowrap",children:t(Le,{at:d.created_at})}),t("td",{class:d.severity==="ERROR"?"wrong":"faint",children:d.severity.toLowerCase()}),
t("td",{class:"wrap",children:d.event}),t("td",{children:d.user??d.conductor??""})]},d.uuid))})]})})}})})}function Na({node:e}){let n=JSON.stringify(e,null,2);return t(
N,{title:`GET /v1/nodes/${e.uuid}`,level:3,actions:t(Wt,{text:n,label:"Copy the document"}),children:t("pre",{class:"json",tabIndex:0,children:n})})}var xn=["enroll","manageable","available","active","rescue"],Qc={verifying:["enroll","manageable"],inspecting:["manageable","manageable"],"inspect wait":["manag\
eable","manageable"],"inspect failed":["manageable","manageable"],adopting:["manageable","active"],"adopt failed":["manageable","active"],cleaning:["manageable",
"available"],"clean wait":["manageable","available"],"clean failed":["manageable","available"],"clean hold":["manageable","available"],deploying:["available","a\
ctive"],"wait call-back":["available","active"],"deploy failed":["available","active"],"deploy hold":["available","active"],deleting:["active","available"],error:[
"active","available"],rescuing:["active","rescue"],"rescue wait":["active","rescue"],"rescue failed":["active","rescue"],unrescuing:["rescue","active"],"unrescu\
e failed":["rescue","active"],servicing:["active","active"],"service wait":["active","active"],"service failed":["active","active"],"service hold":["active","ac\
tive"]};function Zc(e,n){let o=xn.indexOf(e);if(o>=0)return xn.map((c,p)=>({state:c,kind:p<o?"past":p===o?"here":"to come"}));let[r,s]=Qc[e]??["enroll","managea\
ble"],a=n??qe[e]?.target??s,[i,l]=[xn.indexOf(r),xn.indexOf(s)],u=Math.min(i,l),d=[];for(let[c,p]of xn.entries())d.push({state:p,kind:p===a?"target":c<=u?"past":
"to come"}),c===u&&d.push({state:e,kind:"here"});return d}function Oa({node:e}){let n=Zc(e.provision_state,e.target_provision_state);return t("ol",{class:"life",
"aria-label":`Life: ${e.provision_state}${e.target_provision_state===null?"":`, on the way to ${e.target_provision_state}`}`,children:n.map(o=>t("li",{class:`st\
op stop-${o.kind.replace(" ","-")}${o.kind==="here"?` here-${jt(o.state)}`:""}`,"aria-current":o.kind==="here"?"step":void 0,children:[t("span",{class:"stop-mar\
k",children:o.kind==="here"?t(V,{look:jt(o.state)}):t("i",{})}),t("span",{class:"stop-word",children:o.state}),o.kind==="target"&&t("span",{class:"stop-note",children:"\
target"})]},o.state))})}function Ra({node:e,me:n}){let o=`/v1/nodes/${C(e.uuid)}`,r=m=>m.node===e.uuid,s=O(`/v1/ports/detail?node=${C(e.uuid)}`,{on:r}),a=O(`/v1/portgroups/detail?node=${C(
e.uuid)}`,{on:r}),i=O(`${o}/vifs`,{on:r}),l=O(`/v1/volume/targets?node=${C(e.uuid)}&detail=True`),u=O(`/v1/volume/connectors?node=${C(e.uuid)}&detail=True`),[d,
c]=g(null),[p,f]=g(null);return t("div",{class:"stack",children:[t(N,{title:"Ports",level:3,actions:t(b,{small:!0,why:ce(n,"baremetal:port:create"),onClick:()=>c(
"new"),children:[t(A,{name:"plus"})," Add"]}),children:t(H,{doc:s,children:m=>m.ports.length===0?t("p",{class:"faint",children:"No ports. A machine that boots f\
rom the network needs one with its MAC address."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t(
"th",{scope:"col",children:"MAC"}),t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"boots"}),t("th",{scope:"col",children:"network"}),t("th",
{scope:"col",children:"switch"}),t("th",{scope:"col"})]})}),t("tbody",{children:m.ports.map(h=>t("tr",{children:[t("th",{scope:"row",children:t("code",{children:h.
address})}),t("td",{children:h.name??""}),t("td",{children:h.pxe_enabled?"yes":"no"}),t("td",{children:h.physical_network??""}),t("td",{class:"faint",children:[
h.local_link_connection.switch_info,h.local_link_connection.port_id].filter(Boolean).map(String).join(" ")}),t("td",{class:"nowrap",children:[t(b,{small:!0,kind:"\
quiet",label:`Change ${h.address}`,why:ce(n,"baremetal:port:update"),onClick:()=>c(h),children:"Change"}),t(b,{small:!0,kind:"quiet",label:`Delete ${h.address}`,
why:ce(n,"baremetal:port:delete"),onClick:()=>f(h),children:"Delete"})]})]},h.uuid))})]})})})}),t("div",{class:"cards",children:[t(oo,{title:"Port groups",none:"\
No ports are bonded.",rows:a.data.value?.portgroups.map(m=>[String(m.name??m.uuid),`${String(m.mode??"")} ${String(m.address??"")}`]),error:a.error.value?.message}),
t(oo,{title:"Attached networks (VIFs)",none:"No network is attached.",rows:i.data.value?.vifs.map(m=>[m.id,""]),error:i.error.value?.message}),t(oo,{title:"Volu\
me connectors",none:"No connectors.",rows:u.data.value?.connectors.map(m=>[String(m.type),String(m.connector_id)]),error:u.error.value?.message}),t(oo,{title:"V\
olume targets",none:"No volumes.",rows:l.data.value?.targets.map(m=>[String(m.volume_type),`${String(m.volume_id)}, boot index ${String(m.boot_index)}`]),error:l.
error.value?.message})]}),d!==null&&t(eu,{node:e.uuid,port:d==="new"?null:d,onClose:()=>c(null),onDone:()=>{c(null),s.reload()}}),p!==null&&t(ze,{title:`Delete \
port ${p.address}`,text:t("p",{children:"The machine is not recognised by this address any more."}),word:p.address,action:"Delete",onClose:()=>f(null),onYes:()=>{
j("DELETE",`/v1/ports/${C(p.uuid)}`).then(()=>{F("The port is deleted."),f(null),s.reload()},m=>G("The port could not be deleted",m))}})]})}function oo({title:e,
none:n,rows:o,error:r}){return t(N,{title:e,level:3,children:r!==void 0?t("p",{class:"faint",children:r}):o===void 0||o.length===0?t("p",{class:"faint",children:n}):
t("table",{class:"table",children:t("tbody",{children:o.map(([s,a])=>t("tr",{children:[t("th",{scope:"row",children:s}),t("td",{children:a})]},s+a))})})})}var Xc=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
function eu({node:e,port:n,onClose:o,onDone:r}){let[s,a]=g(n?.address??""),[i,l]=g(n?.physical_network??""),[u,d]=g(n?.pxe_enabled??!0),c=s!==""&&!Xc.test(s)?"A\
 MAC address has six pairs, such as 52:54:00:12:34:56.":null,p=async()=>{try{if(n===null)await j("POST","/v1/ports",{node_uuid:e,address:s,pxe_enabled:u,...i===
""?{}:{physical_network:i}});else{let f=[{op:"replace",path:"/address",value:s},{op:"replace",path:"/pxe_enabled",value:u},i===""?{op:"remove",path:"/physical_n\
etwork"}:{op:"add",path:"/physical_network",value:i}];await j("PATCH",`/v1/ports/${C(n.uuid)}`,f)}F(n===null?"The port is added.":"The port is changed."),r()}catch(f){
G("The port was refused",f)}};return t(de,{title:n===null?"Add a port":`Port ${n.address}`,onClose:o,foot:t(_,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,
{kind:"main",why:s===""?"a MAC address is missing":c,onClick:()=>{p()},children:n===null?"Add":"Change"})]}),children:[t(q,{label:"MAC address",error:c,children:f=>t(
"input",{id:f,class:"input",autofocus:!0,spellcheck:!1,value:s,onInput:m=>a(m.currentTarget.value.trim())})}),t(q,{label:"Physical network",hint:"Empty if you h\
ave only one.",children:f=>t("input",{id:f,class:"input",value:i,onInput:m=>l(m.currentTarget.value.trim())})}),t("label",{class:"check-line",children:[t("input",
{type:"checkbox",checked:u,onChange:f=>d(f.currentTarget.checked)})," the machine may boot from it"]})]})}function La({node:e,me:n,reload:o}){let[r,s]=g(null),a=O(`/v1/nodes/${C(e.uuid)}/children`),i=e.name??e.uuid,l=ce(n,Ne.update),u=(p,f)=>t(b,{small:!0,kind:"quie\
t",why:l,onClick:()=>s(p),label:`${f} of ${i}`,children:f}),d=e.instance_info.image_source,c=()=>{s(null),o()};return t("div",{class:"cards",children:[t(N,{title:"\
Identity",level:3,actions:t(le,{commands:{corten:`corten node show ${re(i)}`,curl:ee("GET",`/v1/nodes/${C(e.uuid)}`)}}),children:t(ge,{rows:[["Name",t("span",{class:"\
edited",children:[e.name??"\u2013"," ",u("name","Rename")]})],["UUID",t("code",{children:e.uuid})],["Resource class",t("span",{class:"edited",children:[e.resource_class??
"\u2013"," ",u("class","Change")]})],["Driver",e.driver],["Conductor",e.conductor],["Group",e.conductor_group],["Enrolled",t(fe,{at:e.created_at,ago:!0})],["Des\
cription",t("span",{class:"edited",children:[e.description??"\u2013"," ",u("description","Edit")]})]]})}),t(N,{title:"In use by",level:3,children:[e.instance_uuid===
null&&d===void 0?t("p",{class:"faint",children:e.provision_state==="active"?"No instance or image is recorded.":"No instance. Deploy writes an image to the mach\
ine and boots it."}):t(ge,{rows:[["Instance",e.instance_uuid===null?null:t("code",{children:e.instance_uuid})],["Name",e.instance_name],["Image",typeof d=="stri\
ng"?t("code",{children:d}):null],["Allocation",e.allocation_uuid===null?null:t("a",{href:E(["allocations"]),children:e.allocation_uuid})]]}),t(ge,{rows:[["Owner",
t("span",{class:"edited",children:[e.owner??"\u2013"," ",u("owner","Change")]})],["Lessee",e.lessee]]})]}),t(N,{title:"Traits",level:3,actions:u("traits","Edit"),
children:e.traits.length===0?t("p",{class:"faint",children:"None. Allocations can ask for traits."}):t("ul",{class:"chips",children:e.traits.map(p=>t("li",{class:"\
chip",children:p},p))})}),t(N,{title:"Safety",level:3,children:t(ge,{rows:[["Protected",t("span",{class:"edited",children:[e.protected?`yes${e.protected_reason===
null?"":`: ${e.protected_reason}`}`:"no"," ",u("protection",e.protected?"End":"Protect")]})],["Retired",t("span",{class:"edited",children:[e.retired?`yes${e.retired_reason===
null?"":`: ${e.retired_reason}`}`:"no"," ",u("retirement",e.retired?"End":"Retire")]})],["Automated clean",e.automated_clean===null?"as configured":String(e.automated_clean)]]})}),
t(N,{title:"Belongs to",level:3,children:t(ge,{all:!0,rows:[["Parent",e.parent_node===null?null:t("a",{href:E(["nodes",e.parent_node]),children:e.parent_node})],
["Children",(a.data.value?.children.length??0)===0?null:t("ul",{class:"chips",children:a.data.value?.children.map(p=>t("li",{children:t("a",{href:E(["nodes",p]),
children:p.slice(0,8)})},p))})],["Chassis",e.chassis_uuid===null?null:t("code",{children:String(e.chassis_uuid)})],["Shard",e.shard]]})}),t(N,{title:"Properties",
level:3,children:[t(ge,{rows:Object.entries(e.properties).map(([p,f])=>[p,typeof f=="object"?t("code",{children:JSON.stringify(f)}):String(f)])}),Object.keys(e.
extra).length>0&&t(_,{children:[t("h4",{class:"sub",children:"Extra"}),t(ge,{rows:Object.entries(e.extra).map(([p,f])=>[p,typeof f=="object"?t("code",{children:JSON.
stringify(f)}):String(f)])})]})]}),r!==null&&t(tu,{what:r,node:e,onClose:()=>s(null),onDone:c})]})}function tu({what:e,node:n,onClose:o,onDone:r}){let s={name:n.
name??"",class:n.resource_class??"",description:n.description??"",owner:n.owner??"",traits:n.traits.join(`
`),protection:n.protected_reason??"",retirement:n.retired_reason??""},a={name:["Name",""],class:["Resource class","Allocations and Nova choose machines by it."],
description:["Description","Up to 4,096 characters; everybody who sees the node sees it."],owner:["Owner","Id of the project that owns the machine."],traits:["T\
raits, one a line","Standard traits, or CUSTOM_ and capitals."],protection:["Reason",n.protected?"Undeploy and rebuild will be possible again.":"Undeploy and re\
build will be refused."],retirement:["Reason",n.retired?"The machine can be offered again.":"The machine is not offered any more."]},[i,l]=g(s[e]),u=(h,k)=>k===
""?{op:"remove",path:h}:{op:"add",path:h,value:k},d=()=>{if(e==="name")return[u("/name",i)];if(e==="class")return[u("/resource_class",i)];if(e==="description")return[
u("/description",i)];if(e==="owner")return[u("/owner",i)];let[h,k,x]=e==="protection"?["/protected","/protected_reason",n.protected]:["/retired","/retired_reaso\
n",n.retired];return x?[{op:"replace",path:h,value:!1}]:[{op:"replace",path:h,value:!0},...i===""?[]:[u(k,i)]]},c=async()=>{try{if(e==="traits"){let h=i.split(/\s+/).
filter(k=>k!=="");await j("PUT",`/v1/nodes/${C(n.uuid)}/traits`,{traits:h})}else await Vt(n.uuid,d());F("Changed."),r()}catch(h){G("The change was refused",h)}},
p=e==="protection"&&n.protected||e==="retirement"&&n.retired,[f,m]=a[e];return t(de,{title:e==="protection"?p?"End protection":"Protect":e==="retirement"?p?"End\
 retirement":"Retire":f,onClose:o,foot:t(_,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,{kind:"main",onClick:()=>{c()},children:"Change"})]}),children:t("f\
orm",{onSubmit:h=>{h.preventDefault(),c()},children:p?t("p",{children:m}):t(q,{label:f,hint:m,children:h=>e==="traits"||e==="description"?t("textarea",{id:h,class:"\
area",autofocus:!0,value:i,onInput:k=>l(k.currentTarget.value)}):t("input",{id:h,class:"input",autofocus:!0,value:i,onInput:k=>l(k.currentTarget.value)})})})})}var nu=["power","management","boot","deploy","network","storage","inspect","console","raid","bios","firmware","rescue","vendor"],ou=["driver_info","instance_inf\
o","properties","extra"];function Da({node:e,me:n,reload:o}){let r=O(`/v1/nodes/${C(e.uuid)}/validate`),s=O(`/v1/nodes/${C(e.uuid)}/bios?detail=True`),[a,i]=g(null);
return t("div",{class:"stack",children:[t(N,{title:`Interfaces of ${e.driver}`,level:3,actions:t(b,{small:!0,onClick:r.reload,children:"Validate again"}),children:t(
H,{doc:r,lines:8,children:l=>t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
interface"}),t("th",{scope:"col",children:"implementation"}),t("th",{scope:"col",children:"verdict"})]})}),t("tbody",{children:nu.map(u=>t("tr",{children:[t("th",
{scope:"row",children:u}),t("td",{children:String(e[`${u}_interface`]??"")}),t("td",{children:t(ru,{verdict:l[u]})})]},u))})]})})})}),t("div",{class:"cards",children:ou.
map(l=>t(N,{title:l,level:3,actions:t(b,{small:!0,kind:"quiet",label:`Edit ${l}`,why:ce(n,Ne.update),onClick:()=>i(l),children:"Edit"}),children:t(su,{values:e[l]})},
l))}),t(N,{title:"BIOS settings",level:3,children:t(H,{doc:s,children:l=>l.bios.length===0?t(W,{title:"No BIOS settings are known",children:"The service reads t\
hem when the machine is verified, cleaned or deployed, if its driver can."}):t("div",{class:"scroll-x scroll-y",children:t("table",{class:"table",children:[t("t\
head",{children:t("tr",{children:[t("th",{scope:"col",children:"setting"}),t("th",{scope:"col",children:"value"}),t("th",{scope:"col",children:"allowed"})]})}),
t("tbody",{children:l.bios.map(u=>t("tr",{children:[t("th",{scope:"row",children:u.name}),t("td",{children:[u.value," ",u.read_only===!0&&t("span",{class:"chip",
children:"read only"})]}),t("td",{class:"faint",children:u.allowable_values?.join(", ")??(u.lower_bound==null?"":`${u.lower_bound} to ${u.upper_bound??""}`)})]},
u.name))})]})})})}),a!==null&&t(iu,{name:a,node:e,onClose:()=>i(null),onDone:()=>{i(null),o(),r.reload()}})]})}function ru({verdict:e}){return e===void 0?t("spa\
n",{class:"faint",children:"not validated"}):e.result===!0?t("span",{class:"good",children:[t(A,{name:"check"})," would work"]}):e.result===null?t("span",{class:"\
faint",children:e.reason??"not supported"}):t("span",{class:"wrong",children:[t(V,{look:"failed"})," ",e.reason??"would not work"]})}function su({values:e}){let n=Object.
entries(e);return n.length===0?t("p",{class:"faint",children:"Empty."}):t("dl",{class:"values",children:n.map(([o,r])=>t("div",{children:[t("dt",{children:o}),t(
"dd",{children:t("code",{children:typeof r=="string"?r:JSON.stringify(r)})})]},o))})}function au(e,n,o){let r=a=>`/${e}/${a.replaceAll("~","~0").replaceAll("/",
"~1")}`,s=[];for(let[a,i]of Object.entries(o))a in n?JSON.stringify(n[a])!==JSON.stringify(i)&&s.push({op:"replace",path:r(a),value:i}):s.push({op:"add",path:r(
a),value:i});for(let a of Object.keys(n))a in o||s.push({op:"remove",path:r(a)});return s}function iu({name:e,node:n,onClose:o,onDone:r}){let s=n[e],[a,i]=g(JSON.
stringify(s,null,2)),l=null,u=null;try{let p=JSON.parse(a);typeof p=="object"&&p!==null&&!Array.isArray(p)?l=p:u="This has to be a JSON object."}catch(p){u=p instanceof
Error?p.message:String(p)}let d=l===null?[]:au(e,s,l),c=async()=>{try{await Vt(n.uuid,d),F(`${e} is changed.`),r()}catch(p){G("The change was refused",p)}};return t(
de,{wide:!0,title:`${e} of ${n.name??n.uuid}`,onClose:o,foot:t(_,{children:[t(b,{onClick:o,children:"Cancel"}),t(b,{kind:"main",why:u!==null?"it is not JSON":d.
length===0?"nothing is changed":null,onClick:()=>{c()},children:["Send ",d.length>0?`${d.length} changes`:""]})]}),children:[t(q,{label:"JSON",error:u,hint:"Sec\
rets are masked as ******; leave them and they stay as they are.",children:p=>t("textarea",{id:p,class:"area area-tall",autofocus:!0,spellcheck:!1,value:a,onInput:f=>i(
f.currentTarget.value)})}),d.length>0&&t("ul",{class:"diff","aria-label":"What will be sent",children:d.map(p=>t("li",{class:`diff-${p.op}`,children:t("code",{children:[
p.op==="remove"?"\u2212":"+"," ",p.path," ",p.value===void 0?"":JSON.stringify(p.value)]})},p.path))})]})}var Ia={running:"working",done:"in_use",failed:"failed",aborted:"held",waiting:"waiting",pending:"ready"};function gr(e){let n=e.requested_by;return n===null?null:
n.user??n.project}function Ba({flow:e}){let n=gr(e);return t("section",{class:"panel running","aria-label":"Under way",children:[t("header",{class:"running-head",
children:[t("h2",{children:[t(V,{look:"working"})," ",e.verb]}),t("span",{class:"faint",children:[n!==null&&`asked by ${n} `,t(fe,{at:e.started_at,ago:!0}),e.requested_by?.
request_id!=null&&t(_,{children:[" \xB7 ",t("code",{children:e.requested_by.request_id})]})]}),e.restarts>0&&t("span",{class:"chip",children:["taken up again ",
e.restarts," times"]})]}),t(Fa,{flow:e}),t(qa,{flow:e}),t(ja,{flow:e})]})}function qa({flow:e}){let{progress:n,waiting:o}=e,r=u=>{let d=n?.[u];return typeof d==
"number"?d:null},[s,a,i,l]=[r("bytes"),r("total"),r("rate"),r("eta")];return t(_,{children:[s!==null&&a!==null&&a>0&&t("div",{class:"progress-line",children:[t(
De,{value:Re(s,a),label:"Bytes written"}),t("span",{children:[_e(s)," of ",_e(a),i!==null&&` \xB7 ${_e(i)}/s`,l!==null&&` \xB7 ${he(l)} left`]})]}),o!==null&&t(
"p",{class:"waits",children:[t(V,{look:"waiting"})," waits ",Ee(o.since??o.started_at)," for ",o.for??o.what??"the machine"]})]})}function lu(e,n){let o=e.phases[n];
if(o===void 0)return 0;if(o.duration!==null)return o.duration;let r=e.phases[n+1],s=r===void 0?e.ended_at===null?Ge.value:Date.parse(e.ended_at):Date.parse(r.started_at);
return Math.max(0,(s-Date.parse(o.started_at))/1e3)}function Fa({flow:e}){if(e.phases.length===0)return null;let n=e.phases.map((r,s)=>lu(e,s)),o=n.reduce((r,s)=>r+
s,0);return t("ol",{class:"phases",children:e.phases.map((r,s)=>{let a=n[s]??0,i=s===e.phases.length-1,l=i&&e.state==="running"?"running":i&&e.state==="failed"?
"failed":"done";return t("li",{class:`phase phase-${l}`,style:{flexGrow:o===0?1:Math.max(a/o,.04)},title:`${r.name}: ${he(a)} (${r.by})`,children:[t("span",{class:"\
phase-name",children:r.name}),t("span",{class:"phase-time",children:he(a)})]},`${s}-${r.name}`)})})}function ja({flow:e}){if(e.steps.length===0)return null;let n=e.
steps.filter(o=>o.state==="done").length;return t("div",{class:"steps",children:[t("span",{class:"faint",children:["steps ",n," of ",e.steps.length]}),e.steps.map(
(o,r)=>t("span",{class:`step step-${o.state}`,title:`${o.state}${o.duration===null?"":`, ${he(o.duration)}`}`,children:[t(V,{look:Ia[o.state]??"ready"})," ",o.name,
" ",t("span",{class:"hidden-text",children:o.state})]},`${r}-${o.name}`))]})}function Wa({doc:e}){return t(H,{doc:e,lines:6,children:n=>n.flows.length===0?t(W,{
title:"Nothing was done to this machine yet",children:"Operations appear here with their phases, steps and waits."}):t("ol",{class:"flows",children:n.flows.map(
o=>t("li",{class:"flow",children:[t("header",{class:"flow-head",children:[t(V,{look:Ia[o.state]??"ready"}),t("h3",{children:o.verb}),t("span",{children:[o.state,
o.result!==null&&` \u2192 ${o.result}`]}),t("span",{class:"faint",children:[t(Le,{at:o.started_at})," \xB7 ",o.ended_at===null?Ee(o.started_at):he(o.duration??0),
gr(o)!==null&&` \xB7 by ${gr(o)??""}`,o.restarts>0&&` \xB7 taken up again ${o.restarts} times`]})]}),t(Fa,{flow:o}),o.state==="running"&&t(qa,{flow:o}),t(ja,{flow:o}),
o.warnings.map((r,s)=>t("p",{class:"flow-warning",children:[t(A,{name:"warn"})," ",typeof r=="string"?r:JSON.stringify(r)]},s)),o.error!==null&&t("blockquote",{
class:"finding",children:o.error})]},o.started_at+o.verb))})})}var $n=[["overview","Overview"],["timeline","Timeline"],["boot","Boot"],["bmc","BMC"],["hardware","Hardware"],["settings","Settings"],["network","Network"],["hi\
story","History"],["console","Console"],["json","JSON"]];function Ha({ident:e}){let n=R=>R.node===o.current||R.node_name===e||R.node===e,o=Y(""),[r,s]=g(!1),a=O(
`/v1/nodes/${C(r?o.current:e)}`,{on:n,atMost:400,keep:!0}),i=a.data.value;i!==void 0&&(o.current=i.uuid);let l=i?.uuid??null,u=O(l===null?null:`/corten/v1/me?no\
de=${l}`),d=i===void 0?"ready":jt(i.provision_state),c=d==="working"||d==="waiting"||(i?.reservation??null)!==null,p=O(l===null?null:`/corten/v1/nodes/${l}/time\
line?limit=20`,{on:n,atMost:400,every:c?1e3:void 0}),f=O(l===null?null:`/corten/v1/nodes/${l}/diagnosis`,{on:n,atMost:800,every:c?5e3:3e4}),m=Q.value.get("tab")??
"overview",h=R=>{let $=$n.findIndex(([S])=>S===(Q.peek().get("tab")??"overview")),M=$n[($+R+$n.length)%$n.length];M!==void 0&&U({tab:M[0]==="overview"?null:M[0]})};
Be([{keys:"[",about:"tab before",run:()=>h(-1)},{keys:"]",about:"next tab",run:()=>h(1)},{keys:".",about:"verbs of this node",run:()=>document.querySelector(".v\
erbs .button")?.focus()}]);let k=a.error.value?.status===404;if(D(()=>{k&&o.current!==""&&s(!0)},[k]),D(()=>{r&&i!==void 0&&i.name!==e&&i.uuid!==e&&X(xs(i.name??
i.uuid),!0)},[r,i?.name]),D(()=>{document.querySelector('.tab[aria-selected="true"]')?.scrollIntoView({block:"nearest",inline:"center"})},[m,i!==void 0]),D(()=>(document.
title=`${i?.name??e} \xB7 Corten`,()=>{document.title="Corten"}),[i?.name]),i===void 0){let R=a.error.value;return t("div",{class:"stack",children:[t(Ua,{}),R===
void 0?t(Ae,{lines:8}):t(be,{error:R,retry:a.reload})]})}let T=k&&r,y={node:i,me:u.data.value,timeline:p.data.value,reload:a.reload},v=p.data.value?.flows[0],w=ht.
find(R=>R.verb===Q.value.get("do")&&R.asks===!0);return t("div",{class:"node",children:[t("header",{class:"node-head",children:[t(Ua,{}),t("h1",{class:"node-nam\
e",children:[i.name??i.uuid,t(Wt,{text:i.uuid,label:"Copy the UUID"})]}),t(ft,{state:i.provision_state,target:i.target_provision_state,maintenance:i.maintenance}),
t("span",{class:"faint",children:["since ",t(fe,{at:i.provision_updated_at})]}),t("span",{class:"node-fact",children:[t(A,{name:"power"})," ",i.power_state??"po\
wer unknown",i.target_power_state!==null&&` \u2192 ${i.target_power_state}`]}),i.resource_class!==null&&t("span",{class:"node-fact",children:["class ",i.resource_class]}),
i.conductor!==null&&t("span",{class:"node-fact",children:i.conductor}),i.reservation!==null&&t("span",{class:"node-fact node-lock",children:[t(A,{name:"lock"}),
" locked by ",i.reservation]}),i.protected&&t("span",{class:"chip",children:"protected"}),i.retired&&t("span",{class:"chip",children:"retired"})]}),T&&t("p",{class:"\
banner",role:"alert",children:[t(A,{name:"warn"})," This node was deleted meanwhile. What you see is what was last known."]}),t("div",{class:T?"main-stale stack":
"stack",children:[t("section",{class:"panel life-panel","aria-label":"Life",children:[t(Oa,{node:i}),t(ba,{...y})]}),f.data.value!==void 0&&t(Ea,{diagnosis:f.data.
value,...y}),v!==void 0&&v.state==="running"&&t(Ba,{flow:v}),t("nav",{class:"tabs",role:"tablist","aria-label":"About this node",children:$n.map(([R,$])=>t("a",
{role:"tab",id:`tab-${R}`,"aria-selected":R===m,"aria-controls":"tab-panel",tabIndex:R===m?0:-1,class:"tab",href:E(["nodes",e],{tab:R==="overview"?null:R}),onKeyDown:M=>{
M.key!=="ArrowRight"&&M.key!=="ArrowLeft"||(M.preventDefault(),h(M.key==="ArrowRight"?1:-1),requestAnimationFrame(()=>document.querySelector('.tab[aria-selected\
="true"]')?.focus()))},children:$},R))}),t("div",{role:"tabpanel",id:"tab-panel","aria-labelledby":`tab-${m}`,class:"tab-panel",children:[m==="overview"&&t(La,{
...y}),m==="timeline"&&t(Wa,{doc:p}),m==="boot"&&t(ka,{node:i,busy:c}),m==="bmc"&&t(ya,{...y}),m==="hardware"&&t(Aa,{...y}),m==="settings"&&t(Da,{...y}),m==="ne\
twork"&&t(Ra,{...y}),m==="history"&&t(Pa,{node:i}),m==="console"&&t($a,{...y}),m==="json"&&t(Na,{node:i})]})]}),w!==void 0&&t(Ta,{action:w,...y,onClose:()=>U({do:null})})]})}
function Ua(){return t("a",{class:"crumb",href:E(["nodes"]),children:"\u2039 Nodes"})}function Ka(e,n,o,r){let s=Math.max(0,Math.floor(e/o)-8),a=Math.min(r,Math.ceil((e+n)/o)+8);return{first:Math.min(s,Math.max(0,r-1)),end:Math.max(a,0)}}var bt=100;
function Sn({first:e,end:n}){let o=[];for(let r=Math.floor(e/bt);r*bt<n;r+=1)o.push(r);return o}function Ja(e,n,o,r){return e*r<n?e*r:(e+1)*r>n+o?(e+1)*r-o:null}var cu=500;function uu(e,n){let o=r=>{let s=n.data[r];return typeof s=="string"?s:null};if(n.kind==="provision"){let r=o("to");if(r===null||qe[r]===void 0)return null;
let s=qe[r].look;return{...e,provision_state:r,look:s,target_provision_state:o("target"),provision_updated_at:n.at,cause:s==="failed"?e.cause:null}}if(n.kind===
"power"){let r=o("to");return r===null?null:{...e,power_state:r}}return null}var br=class{constructor(n,o){this.query=n;this.before=o;o?.total===void 0&&(this.before=
o?.before),this.total=this.before?.total,this.read(0)}query;before;version=K(0);total;error;pages=new Map;cursors=new Map;asked=new Map;sight={first:0,end:bt};timer;seeTimer;last=0;at(n){
return this.before!==void 0?this.before.at(n):this.pages.get(Math.floor(n/bt))?.[n%bt]}loaded(){return[...this.pages.values()].flat()}see(n){this.sight=n,window.
clearTimeout(this.seeTimer),Sn(n).filter(r=>!this.pages.has(r)&&!this.asked.has(r)).length!==0&&(this.seeTimer=window.setTimeout(()=>{for(let[r,s]of this.asked)
Sn(this.sight).includes(r)||s.abort();for(let r of Sn(this.sight))!this.pages.has(r)&&!this.asked.has(r)&&this.read(r)},50))}read(n){let o=new AbortController;this.
asked.get(n)?.abort(),this.asked.set(n,o),ne(`/corten/v1/nodes?${this.query}&limit=${bt}&offset=${n*bt}`,o.signal).then(r=>{this.asked.get(n)===o&&this.asked.delete(
n),this.pages.set(n,r.nodes),this.cursors.set(n,r.cursor),this.total=r.total,this.before=void 0,this.error=void 0,Ut(r.cursor),this.version.value+=1},r=>{this.asked.
get(n)===o&&this.asked.delete(n),!o.signal.aborted&&(this.error=$e(r),this.pages.size===0&&(this.total=void 0),this.before=void 0,this.version.value+=1)})}take(n){
let o=!1,r=new Map;for(let s of n){let a=r.get(s.node);a===void 0?r.set(s.node,[s]):a.push(s)}for(let[s,a]of this.pages){let i=this.cursors.get(s)??0;for(let[l,
u]of a.entries())for(let d of r.get(u.uuid)??[]){if(d.cursor<=i)continue;let c=uu(a[l]??u,d);c!==null&&(a[l]=c,o=!0)}}if(o&&(this.version.value+=1),this.timer===
void 0){let s=Math.max(0,this.last+cu-Date.now());this.timer=window.setTimeout(()=>{this.timer=void 0,this.last=Date.now(),this.refresh()},s)}}refresh(){let n=new Set(
Sn(this.sight));for(let o of[...this.pages.keys()])n.has(o)||this.pages.delete(o);n.size===0&&n.add(0);for(let o of n)this.read(o)}stop(){window.clearTimeout(this.
timer),window.clearTimeout(this.seeTimer);for(let n of this.asked.values())n.abort()}},du="uuid,name,look,provision_state,target_provision_state,provision_updat\
ed_at,power_state,target_power_state,maintenance,fault,retired,protected,driver,resource_class,conductor,conductor_group,chassis_uuid,shard,owner,lessee,instanc\
e_uuid,reservation,cause";function Va(e,n){let o=Tt.value+We.value,r=Y(void 0),s=Je(()=>(r.current=new br(`q=${C(e)}&sort=${C(n)}&fields=${du}`,r.current),r.current),
[e,n]);return D(()=>{let a=mt(i=>s.take(i));return()=>{a(),s.stop()}},[s]),D(()=>{o>0&&s.refresh()},[o]),{version:s.version.value,total:s.total,error:s.error,at:a=>s.
at(a),see:a=>s.see(a),loaded:()=>s.loaded()}}var Rt=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"provision",body:()=>({target:o}),...s}),vr=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"power",body:()=>({
target:o}),...s}),ro=[Rt("manage","Manage","manage","Checks that each machine can be controlled.",{quick:!0}),Rt("provide","Provide","provide","Cleans each mach\
ine and offers it for use.",{quick:!0}),Rt("deploy","Deploy","active","Writes the image that stands in the instance_info of each node, and boots it.",{quick:!0}),
Rt("delete","Undeploy","deleted","Takes each machine back and cleans it; what is on its disks is lost.",{quick:!0,destroys:!0}),Rt("inspect","Inspect","inspect",
"Finds out what hardware each machine has."),Rt("abort","Abort","abort","Stops what is under way at the end of a step."),Rt("unrescue","Unrescue","unrescue","Bo\
ots the own system of each machine again."),vr("power-on","Power on","power on","Switches each machine on."),vr("power-off","Power off","power off","Switches ea\
ch machine off at once.",{destroys:!0}),vr("reboot","Reboot","rebooting","Restarts each machine at once.",{destroys:!0}),{key:"maintenance",label:"Maintenance o\
n",action:"maintenance",reason:!0,about:"Keeps the service from working on these machines.",body:e=>e===""?{target:"on"}:{target:"on",reason:e}},{key:"no-mainte\
nance",label:"Maintenance off",action:"maintenance",about:"Lets the service work on these machines again.",body:()=>({target:"off"})}];function Ga(e){return ro.
find(n=>n.key===e)}function za({q:e,total:n,selectAll:o}){let r=Qe.value,s=r?.total??Oe.value.size,a=Ga(Q.value.get("bulk")??""),i=d=>U({bulk:d.key});if(s===0)return null;if(a!==void 0)
return t(fu,{verb:a,nodes:r?.q??Oe.value,count:s,onClose:()=>U({bulk:null})});let l=ro.filter(d=>d.quick),u=ro.filter(d=>!d.quick);return t("div",{class:"bulk-b\
ar",role:"region","aria-label":"Selected nodes",children:[t("strong",{children:[Z(s,"node")," selected",r!==null&&": all that match"]}),s<n&&t(b,{small:!0,kind:"\
quiet",onClick:o,children:e===""?`All ${L(n)}`:`All ${L(n)} that match`}),t("span",{class:"bulk-verbs",children:[l.map(d=>t(b,{small:!0,onClick:()=>i(d),children:[
d.label,"\u2026"]},d.key)),t(Ze,{right:!0,label:"More",choices:u.map(d=>({label:`${d.label}\u2026`,danger:d.destroys,onPick:()=>i(d)}))})]}),t(b,{small:!0,kind:"\
quiet",onClick:Ot,children:"Clear"})]})}function fu({verb:e,nodes:n,count:o,onClose:r}){let[s,a]=g(""),[i,l]=g(""),[u,d]=g(!0),[c,p]=g(null),[f,m]=g(null),[h,k]=g(
null),x=()=>Rs({action:e.action,arguments:e.body(s),nodes:n,inWaves:u,mayFail:c}),T=async()=>{k("trial");try{m(await j("POST","/corten/v1/batches?dry_run=true",
x())??null)}catch(M){G("The dry run was refused",M)}k(null)},y=async()=>{k("start");try{let M=await j("POST","/corten/v1/batches",x());Ot(),M!=null&&X(E(["batch\
es",M.uuid]))}catch(M){G("The batch was refused",M),k(null)}},v=typeof n=="string"?1e5:1e4,w=o>v?`at most ${L(v)} nodes at a time; filter further`:null,R=e.destroys!==
!0||i.trim()===String(o),$=w??(R?null:`type ${o} first`);return t(de,{wide:!0,title:`${e.label} ${Z(o,"node")}`,onClose:r,foot:t(_,{children:[t(b,{autofocus:!0,
busy:h==="trial",why:w,onClick:()=>{T()},children:"Dry run"}),t("span",{class:"spring"}),t(b,{onClick:r,children:"Cancel"}),t(b,{kind:e.destroys===!0?"danger":"\
main",busy:h==="start",why:$,onClick:()=>{y()},children:e.label})]}),children:t("div",{class:"form",children:[t("p",{children:[typeof n=="string"&&n!==""&&t(_,{
children:["The nodes are those that match ",t("code",{children:n})," when you start it."," "]}),e.about," ",o>1&&u?"First one node, then a tenth, then the rest;\
 the next wave begins when the last one ended well.":""," The service does it, also when this page is closed."]}),e.reason===!0&&t(q,{label:"Reason",children:M=>t(
"input",{id:M,class:"input",value:s,onInput:S=>a(S.currentTarget.value)})}),o>1&&t("div",{class:"row",children:[t("label",{class:"check-line",children:[t("input",
{type:"checkbox",checked:u,onChange:M=>d(M.currentTarget.checked)})," In waves: 1, 10 %, the rest"]}),t("label",{class:"check-line",children:[t("input",{type:"c\
heckbox",checked:c!==null,onChange:M=>p(M.currentTarget.checked?0:null)})," Allow failures"]}),c!==null&&t("label",{class:"inline-label",children:["at most"," ",
t("input",{class:"input input-number",type:"number",min:0,max:o,value:c,onInput:M=>p(Math.max(0,Number(M.currentTarget.value)))})]})]}),e.destroys===!0&&t(q,{label:`\
Type ${o} to go on`,children:M=>t("input",{id:M,class:"input input-number",inputMode:"numeric",autocomplete:"off",value:i,onInput:S=>l(S.currentTarget.value)})}),
f!==null&&t(mu,{trial:f})]})})}function mu({trial:e}){let n=[...e.nodes].sort((o,r)=>Number(o.is_accepted)-Number(r.is_accepted)||o.place-r.place);return t("div",
{class:"trial",children:[t("p",{role:"status",children:[t("strong",{children:e.accepted})," would start, ",t("strong",{children:e.refused})," would be refused",
e.left_out>0&&`, ${e.left_out} were not asked`,". Nothing was done."]}),t("div",{class:"scroll-y",tabIndex:0,role:"region","aria-label":"Result of the dry run",
children:t("table",{class:"table",children:t("tbody",{children:n.map(o=>t("tr",{children:[t("th",{scope:"row",children:o.name??o.node}),t("td",{class:o.is_accepted?
"good":"wrong",children:o.is_accepted?"would start":"refused"}),t("td",{children:o.refusal?.text??o.states.join(" \u2192 ")})]},o.node))})})})]})}var wr=K(new Map);function hu({row:e}){let n=wr.value.get(e.uuid);return n===void 0?null:t(De,{value:n,label:`${e.name??e.uuid}: ${Math.round(n)} %`})}var vt=t(
"span",{class:"faint",children:"\u2013"}),so=[{key:"name",label:"name",width:"minmax(140px, 1.2fr)",sort:"name",cell:e=>t(_,{children:[t("a",{class:"node-link",
tabIndex:-1,href:E(["nodes",e.name??e.uuid]),children:e.name??e.uuid}),e.reservation!==null&&t("span",{class:"lock",title:`${e.reservation} works on it`,children:[
t(A,{name:"lock"}),t("span",{class:"hidden-text",children:["locked by ",e.reservation]})]})]})},{key:"state",label:"state",width:"minmax(200px, 1.5fr)",sort:"pr\
ovision_state",cell:e=>t(_,{children:[t(ft,{state:e.provision_state,target:e.target_provision_state,maintenance:e.maintenance}),t(hu,{row:e})]})},{key:"since",label:"\
in state",width:"96px",sort:"provision_updated_at",cell:e=>t(fe,{at:e.provision_updated_at})},{key:"power",label:"power",width:"76px",sort:"power_state",cell:e=>e.
power_state?.replace("power ","")??vt},{key:"class",label:"class",width:"minmax(90px, .7fr)",sort:"resource_class",cell:e=>e.resource_class??vt},{key:"driver",label:"\
driver",width:"120px",sort:"driver",cell:e=>e.driver},{key:"conductor",label:"conductor",width:"110px",sort:"conductor",cell:e=>e.conductor??vt},{key:"group",label:"\
conductor group",width:"130px",sort:"conductor_group",cell:e=>e.conductor_group===""?vt:e.conductor_group},{key:"owner",label:"owner",width:"130px",sort:"owner",
cell:e=>e.owner??vt},{key:"lessee",label:"lessee",width:"130px",sort:"lessee",cell:e=>e.lessee??vt},{key:"shard",label:"shard",width:"90px",sort:"shard",cell:e=>e.
shard??vt},{key:"instance",label:"instance",width:"120px",sort:"instance_uuid",cell:e=>e.instance_uuid===null?vt:t("code",{title:e.instance_uuid,children:e.instance_uuid.
slice(0,8)})},{key:"matter",label:"what is the matter",width:"minmax(200px, 2fr)",cell:e=>{let n=e.cause?.sentence??e.fault??(e.retired?"retired":null);return n===
null?"":t("span",{title:n,children:n})}}];var Ya=30,gu=56,bu=[{name:"All",q:""},{name:"Failed",q:"state:failed"},{name:"Waiting too long",q:"state:waiting age>15m"},{name:"Maintenance",q:"maint:yes"}];function Qa(){
let e=Q.value.get("q")??"",n=Q.value.get("sort")??"name",o=Va(e,n),r=O("/corten/v1/fleet",{every:1e4}),s=O("/corten/v1/work",{every:2e3});D(()=>{let l=(s.data.value?.
operations??[]).filter(u=>u.progress?.bytes!=null&&u.progress.total!=null);wr.value=new Map(l.map(u=>[u.node,Re(u.progress?.bytes??0,u.progress?.total??0)]))},[
s.data.value]);let a=r.data.value?.total;vu(e);let i=cr(o.error);return t("div",{class:"nodes",children:[t("div",{class:"nodes-head",children:[t("h1",{class:"hi\
dden",children:"Nodes"}),t(to,{q:e,onQuery:l=>U({q:l}),error:o.error}),t("div",{class:"nodes-tools",children:[t(wu,{q:e,sort:n,counts:r.data.value}),t("span",{class:"\
nodes-count",role:"status",children:o.total!==void 0&&(e===""?Z(o.total,"node"):`${L(o.total)} of ${a===void 0?"\u2026":L(a)}`)}),t(ku,{q:e,sort:n})]})]}),o.error!==
void 0&&o.total===void 0&&i===null?t(be,{error:o.error}):o.total===void 0?i===null&&t(Ae,{lines:12}):o.total===0?t(W,{title:e===""?"No machines yet":"No node ma\
tches",children:e===""?t("a",{class:"button button-main",href:E(["enrol"]),children:"Enrol machines"}):t(b,{onClick:()=>U({q:null}),children:"Clear the filter"})}):
t(_u,{rows:o,q:e,sort:n}),t(za,{q:e,total:o.total??0,selectAll:()=>{yu(e)}})]})}function vu(e){let n=Y(e);D(()=>{if(n.current===e)return;n.current=e,Qe.value!==
null&&(Ot(),F("Nothing is selected any more: the filter is another one."));let o=[...Oe.value];if(o.length===0||e==="")return;(async()=>{let s=new Map;for(let a=0;a<
o.length;a+=20){let i=o.slice(a,a+20),l=await ne(`/corten/v1/nodes?fields=uuid&limit=20&q=${C(`${e} uuid:${i.map(([d])=>d).join(",")}`)}`),u=new Set(l.nodes.map(
d=>d.uuid));for(let[d,c]of i)u.has(d)&&s.set(d,c)}s.size<o.length&&(Oe.value=s,F(`${Z(o.length-s.size,"node")} left the selection: the filter hides them.`))})().
catch(()=>Oe.value=new Map)},[e])}async function yu(e){try{let n=new Map;for(let o=0;;o+=1e3){let r=await ne(`/corten/v1/nodes?fields=uuid,name&limit=1000&offse\
t=${o}&q=${C(e)}`);if(r.total>1e4){Oe.value=new Map,Qe.value={q:e,total:r.total},F(`${Z(r.total,"node")} selected.`);return}for(let s of r.nodes)n.set(s.uuid,s.
name??s.uuid);if(r.nodes.length===0||n.size>=r.total)break}Oe.value=n,F(`${Z(n.size,"node")} selected.`)}catch(n){G("The nodes could not be selected",n)}}function wu({
q:e,sort:n,counts:o}){let r=[...bu,...st.value],s=r.some(a=>a.q===e);return t("div",{class:"views",role:"group","aria-label":"Views",children:[r.map(a=>t("a",{class:"\
view",href:E(["nodes"],{q:a.q,sort:a.sort}),"aria-current":a.q===e?"true":void 0,children:[a.name,a.q==="state:failed"&&o!==void 0&&o.looks.failed>0&&t("span",{
class:"count count-failed",children:L(o.looks.failed)}),a.q==="maint:yes"&&o!==void 0&&o.maintenance>0&&t("span",{class:"count",children:L(o.maintenance)})]},a.
name)),!s&&e!==""&&t(b,{small:!0,kind:"quiet",onClick:()=>{let a=e.length>24?e.slice(0,23)+"\u2026":e;st.value=[...st.value,n==="name"?{name:a,q:e}:{name:a,q:e,
sort:n}],F("The view is saved in this browser.")},children:[t(A,{name:"plus"})," Save view"]}),st.value.some(a=>a.q===e)&&t(b,{small:!0,kind:"quiet",onClick:()=>st.
value=st.value.filter(a=>a.q!==e),children:"Forget view"})]})}function ku({q:e,sort:n}){let o=s=>{let a=Pt.value.includes(s);Pt.value=a?Pt.value.filter(i=>i!==s):
so.map(i=>i.key).filter(i=>i===s||Pt.value.includes(i))},r=e===""?"":` --where ${re(e)}`;return t("div",{class:"tools",children:[t("span",{class:"wide-only",children:t(
Ze,{right:!0,kind:"quiet",label:"Columns",choices:so.filter(s=>s.key!=="name").map(s=>({label:s.label,checked:Pt.value.includes(s.key),onPick:()=>o(s.key)}))})}),
t(b,{small:!0,kind:"quiet",onClick:()=>{va(e,n)},children:[t(A,{name:"download"})," CSV"]}),t(b,{small:!0,kind:"quiet",onClick:()=>{navigator.clipboard?.writeText(
location.href).then(()=>F("The link is copied."))},children:[t(A,{name:"link"})," Link"]}),t(le,{commands:{corten:`corten node list${r}`,curl:ee("GET",`/corten/\
v1/nodes?q=${C(e)}&sort=${C(n)}`)}}),t("a",{class:"button button-small",href:E(["enrol"]),children:[t(A,{name:"plus"})," Enrol"]})]})}function _u({rows:e,q:n,sort:o}){
let r=Y(null),[s,a]=g(0),[i,l]=g({height:600,narrow:!1}),[u,d]=g(0),c=Y(0),p=$=>{c.current=$,d($)},f=e.total??0,m=i.narrow?gu:Ya,h=Ka(s,i.height,m,f),k=so.filter(
$=>$.key==="name"||Pt.value.includes($.key)),x=`36px ${k.map($=>$.width).join(" ")}`;Ke(()=>{let $=r.current;if($===null)return;let M=()=>l({height:$.clientHeight,
narrow:$.clientWidth<700});M();let S=new ResizeObserver(M);return S.observe($),()=>S.disconnect()},[]),D(()=>e.see(h),[h.first,h.end,n,o,e.version]),D(()=>{p(0),
r.current?.scrollTo(0,0)},[n,o]);let T=($,M)=>{let S=Math.max(0,Math.min(f-1,c.current+$));M&&(y(c.current,!0),y(S,!0)),p(S);let J=Ja(S,r.current?.scrollTop??0,
i.height-Ya,m);J!==null&&r.current?.scrollTo(0,J),r.current?.focus({preventScroll:!0})},y=($,M)=>{let S=e.at($);if(S===void 0)return;if(Qe.value!==null){Ot(),F(
"Nothing is selected any more. To leave some out, filter, and select all that match.");return}let J=new Map(Oe.value);M??!J.has(S.uuid)?J.set(S.uuid,S.name??S.uuid):
J.delete(S.uuid),Oe.value=J},v=()=>{let $=e.at(c.current);$!==void 0&&X(E(["nodes",$.name??$.uuid]))};Be([{keys:"/",about:"filter",run:()=>document.getElementById(
"query")?.focus()},{keys:"j",about:"next node",run:()=>T(1,!1)},{keys:"k",about:"node before",run:()=>T(-1,!1)},{keys:"ArrowDown",about:"next node",run:()=>T(1,
!1)},{keys:"ArrowUp",about:"node before",run:()=>T(-1,!1)},{keys:"J",about:"select and go down",run:()=>T(1,!0)},{keys:"K",about:"select and go up",run:()=>T(-1,
!0)},{keys:"PageDown",about:"a page down",run:()=>T(Math.floor(i.height/m),!1)},{keys:"PageUp",about:"a page up",run:()=>T(-Math.floor(i.height/m),!1)},{keys:"H\
ome",about:"first node",run:()=>T(-f,!1)},{keys:"End",about:"last node",run:()=>T(f,!1)},{keys:"x",about:"select this node",run:()=>y(c.current)},{keys:"Enter",
about:"open this node",run:$=>$.target instanceof HTMLAnchorElement||$.target instanceof HTMLButtonElement?$.target.click():v()},{keys:"Escape",about:"clear the\
 selection",run:Ot}]);let w=$=>o===$.sort?"ascending":o===`-${$.sort}`?"descending":"none",R=[];for(let $=h.first;$<h.end;$+=1)R.push($);return t("div",{class:`\
grid${i.narrow?" grid-narrow":""}`,id:"nodes",ref:r,tabIndex:0,role:"grid","aria-label":"Nodes","aria-rowcount":f+1,"aria-multiselectable":"true","aria-activede\
scendant":u>=h.first&&u<h.end?`node-${u}`:void 0,onScroll:$=>a($.currentTarget.scrollTop),children:[t("div",{class:"grid-head",role:"row","aria-rowindex":1,style:{
gridTemplateColumns:x},children:[t("span",{role:"columnheader",class:"hidden-text",children:"select"}),k.map($=>t("span",{role:"columnheader","aria-sort":$.sort===
void 0?void 0:w($),children:$.sort===void 0?$.label:t("button",{type:"button",class:"sort",tabIndex:-1,onClick:()=>U({sort:o===$.sort?`-${$.sort}`:$.sort==="nam\
e"?null:$.sort??null}),children:[$.label,w($)!=="none"&&t(A,{name:w($)==="ascending"?"up":"down"})]})},$.key))]}),t("div",{class:"grid-body",role:"rowgroup",style:{
height:`${f*m}px`},children:R.map($=>t(xu,{index:$,row:e.at($),shown:k,template:x,top:$*m,height:m,active:$===u,narrow:i.narrow,onMark:()=>y($),onClick:()=>p($)},
$))})]})}function xu({index:e,row:n,shown:o,template:r,top:s,height:a,active:i,narrow:l,onMark:u,onClick:d}){let c=n!==void 0&&(Qe.value!==null||Oe.value.has(n.
uuid)),p=l?{top:`${s}px`,height:`${a}px`}:{top:`${s}px`,height:`${a}px`,gridTemplateColumns:r};return t("div",{class:`grid-row${i?" grid-active":""}${c?" grid-c\
hosen":""}`,role:"row",id:`node-${e}`,"aria-rowindex":e+2,"aria-selected":c,style:p,onClick:d,children:[t("span",{role:"gridcell",class:"grid-check",children:n!==
void 0&&t("label",{class:"check",children:t("input",{type:"checkbox",tabIndex:-1,checked:c,onChange:u,"aria-label":`Select ${n.name??n.uuid}`})})}),n===void 0?t(
"span",{role:"gridcell",class:"grid-loading"}):o.map(f=>t("span",{role:"gridcell",class:`cell cell-${f.key}`,children:f.cell(n)},f.key))]})}var je={templates:"/v1/deploy_templates",runbooks:"/v1/runbooks",rules:"/v1/inspection_rules"},Me={templates:"deploy template",runbooks:"runbook",rules:"inspect\
ion rule"},Za=0;function Qt(e="",n={}){return Za+=1,{key:Za,what:e,not:!1,args:[],rank:"",loop:"",multiple:"any",...n}}function io(e){return{name:"",description:"",
owner:"",public:!1,disableRamdisk:!1,traits:"",priority:"0",sensitive:!1,steps:e==="rules"?[]:[Qt("",{rank:e==="templates"?"50":"1"})],conditions:[],actions:e===
"rules"?[Qt()]:[],extra:"{}",hidden:!1}}function at(e){let n=e.trim();if(!/^([[{"]|-?\d|true$|false$|null$)/.test(n))return e;try{return JSON.parse(n)}catch{return e}}
function Xa(e){return typeof e!="string"?JSON.stringify(e):at(e)===e?e:JSON.stringify(e)}function oi(e){let n=at(e);return n===null?"null":Array.isArray(n)?"lis\
t":{string:"text",number:"number",boolean:"yes or no",object:"object"}[typeof n]??""}function ei(e,n){return Array.isArray(e)?e.map((o,r)=>({name:n[r]??`${r}`,text:Xa(
o)})):typeof e!="object"||e===null?[]:Object.entries(e).filter(([o])=>o!=="plugin_data").map(([o,r])=>({name:o,text:Xa(r)}))}function ao(e){return Array.isArray(
e)?e.filter(n=>typeof n=="object"&&n!==null):[]}var Lt=e=>typeof e=="string"?e:"";function ri(e,n,o){let r=(i,l)=>{let u=Lt(i.op),d=u.replace(/^!\s*/,""),c=l.find(
f=>f.op===d),p=c===void 0?[]:[...c.required,...c.optional];return Qt(d,{not:u!==d,args:ei(i.args,p),loop:i.loop===void 0||i.loop===null?"":JSON.stringify(i.loop),
multiple:Lt(i.multiple)||"any"})},s=e==="templates"?"priority":"order",a=ao(n.steps).sort((i,l)=>e==="runbooks"?Number(i.order??0)-Number(l.order??0):0);return{
...io(e),name:Lt(n.name),description:Lt(n.description),owner:Lt(n.owner),public:n.public===!0,disableRamdisk:n.disable_ramdisk===!0,traits:Array.isArray(n.traits)?
n.traits.join(" "):"",priority:String(n.priority??0),sensitive:n.sensitive===!0,steps:a.map(i=>Qt(`${Lt(i.interface)}.${Lt(i.step)}`,{args:ei(i.args,[]),rank:String(
i[s]??0)})),conditions:ao(n.conditions).map(i=>r(i,o?.conditions??[])),actions:ao(n.actions).map(i=>r(i,o?.actions??[])),extra:JSON.stringify(n.extra??{}),hidden:n.
sensitive===!0&&ao(n.actions).length===0}}function ti(e){return Object.fromEntries(e.filter(n=>n.name!==""&&n.text!=="").map(n=>[n.name,at(n.text)]))}function ni(e){
return/^-?\d+$/.test(e.trim())?Number(e):e}function Cn(e,n){let o=a=>a.trim()===""?null:a;if(e==="rules"){let a=(i,l)=>({op:i.not?`!${i.what}`:i.what,args:ti(i.
args),...i.loop.trim()===""?{}:{loop:at(i.loop),...l?{multiple:i.multiple}:{}}});return{description:o(n.description),priority:ni(n.priority),sensitive:n.sensitive,
...n.hidden?{}:{conditions:n.conditions.map(i=>a(i,!0)),actions:n.actions.map(i=>a(i,!1))}}}let r=n.steps.map(a=>{let i=a.what.indexOf("."),[l,u]=i<0?["",a.what]:
[a.what.slice(0,i),a.what.slice(i+1)];return{interface:l,step:u,args:ti(a.args),[e==="templates"?"priority":"order"]:ni(a.rank)}}),s={name:n.name.trim(),steps:r,
extra:at(n.extra)};return e==="templates"?s:{...s,description:o(n.description),owner:o(n.owner),public:n.public,disable_ramdisk:n.disableRamdisk}}function kr(e){
return[...new Set(e.traits.split(/[\s,]+/).filter(n=>n!==""))]}function si(e,n){return Object.keys(n).filter(o=>JSON.stringify(e[o]??null)!==JSON.stringify(n[o]??
null)).map(o=>n[o]===null?{op:"remove",path:`/${o}`}:{op:e[o]==null?"add":"replace",path:`/${o}`,value:n[o]})}function ai(e,n){let o=c=>c===null?[]:JSON.stringify(
c,null,2).split(`
`),[r,s]=[o(e),o(n)];if(r.length*s.length>1e6)return[...r.map(c=>({sign:"-",text:c})),...s.map(c=>({sign:"+",text:c}))];let a=Array.from({length:r.length+1},()=>new Array(
s.length+1).fill(0)),i=(c,p)=>a[c]?.[p]??0;for(let c=r.length-1;c>=0;c-=1)for(let p=s.length-1;p>=0;p-=1){let f=a[c];f!==void 0&&(f[p]=r[c]===s[p]?i(c+1,p+1)+1:
Math.max(i(c+1,p),i(c,p+1)))}let l=[],[u,d]=[0,0];for(;u<r.length||d<s.length;)u<r.length&&d<s.length&&r[u]===s[d]?(l.push({sign:" ",text:r[u]??""}),u+=1,d+=1):
u<r.length&&(d>=s.length||i(u+1,d)>=i(u,d+1))?(l.push({sign:"-",text:r[u]??""}),u+=1):(l.push({sign:"+",text:s[d]??""}),d+=1);return l}var $u={string:"text",integer:"whole number",number:"number",boolean:"yes or no",array:"list",object:"object",null:"nothing"};function Su(e){return e===null?"nu\
ll":Array.isArray(e)?"array":typeof e=="number"?Number.isInteger(e)?"integer":"number":typeof e}function lo(e,n,o=""){let r=[],s=(u,d=!1)=>r.push({at:o,text:u,...d?
{empty:d}:{}}),a=u=>o===""?`${u}`:`${o}/${u}`,i=Su(e),l=n.type===void 0?[]:[n.type].flat();if(l.length>0&&!l.includes(i)&&!(i==="integer"&&l.includes("number")))
return s(e===""?"This is missing.":`This has to be a ${l.map(u=>$u[u]??u).join(" or ")}.`,e===""),r;if(n.enum!==void 0&&!n.enum.includes(e)&&s(e===""?"This is m\
issing.":`"${String(e)}" is not one of ${n.enum.join(", ")}.`,e===""),typeof e=="string"&&(e.length<(n.minLength??0)?s("This is missing.",!0):e.length>(n.maxLength??
1/0)?s(`This has at most ${n.maxLength} characters.`):n.pattern!==void 0&&!Cu(n.pattern,e)&&s(`"${e}" does not fit ${n.pattern}.`)),typeof e=="number"&&(e<(n.minimum??
-1/0)&&s(`This is ${n.minimum} at least.`),e>(n.maximum??1/0)&&s(`This is ${n.maximum} at most.`)),Array.isArray(e)){e.length<(n.minItems??0)&&s(`At least ${n.minItems===
1?"one is":`${n.minItems} are`} needed.`,!0);let u=n.items;u!==void 0&&e.forEach((d,c)=>r.push(...lo(d,u,a(c))))}else if(typeof e=="object"&&e!==null){let u=e;for(let d of n.
required??[])d in u||r.push({at:a(d),text:"This is missing.",empty:!0});for(let[d,c]of Object.entries(u)){let p=n.properties?.[d];p!==void 0?r.push(...lo(c,p,a(
d))):n.additionalProperties===!1&&r.push({at:a(d),text:"The service does not know this."})}}if(n.anyOf!==void 0&&r.length===0){let u=n.anyOf.map(c=>lo(e,c,o)),d=u[0];
d!==void 0&&u.every(c=>c.length>0)&&r.push(...d)}return r}function Cu(e,n){try{return new RegExp(e,"u").test(n)}catch{return!0}}function li(e,n,o,r){let s=Cn(e,
n),a=o===void 0?[]:lo(s,n.hidden?{...o,required:[]}:o);(at(n.extra)===null||typeof at(n.extra)!="object")&&a.push({at:"extra",text:"This has to be a JSON object\
."});let i=new Map;n.steps.forEach((l,u)=>{l.what!==""&&i.has(l.what)?a.push({at:`steps/${u}`,text:`Step ${(i.get(l.what)??0)+1} is the same; a step can be ther\
e once.`}):i.set(l.what,u)});for(let l of["conditions","actions"]){let u=r?.[l];u===void 0||n.hidden||n[l].forEach((d,c)=>{let p=u.find(f=>f.op===d.what);for(let f of p?.
required??[])d.args.some(m=>m.name===f&&m.text!=="")||a.push({at:`${l}/${c}/args/${f}`,text:`${d.what} needs ${f}.`,empty:!0});d.loop.trim()!==""&&typeof at(d.loop)==
"string"&&a.push({at:`${l}/${c}/loop`,text:"A loop is a JSON list or object."})})}return a}function ci(e,n,o){let r=/interface: (\S+), step: ([^;.]+)/.exec(e);if(r!==
null){let l=`${r[1]}.${r[2]?.trim()}`,u=o.steps.findLastIndex(d=>d.what===l);if(u>=0)return`steps/${u}`}let s=[...(e.split(" is not one of ")[0]??"").matchAll(/'([^']*)'/g)].
map(l=>l[1]??"");if(o.name!==""&&(s.includes(o.name)||new RegExp(`\\bname ${ii(o.name)}\\b`).test(e)))return"name";for(let l of["steps","conditions","actions"]){
let u=o[l].findIndex(d=>{let[c="",p=""]=d.what.split(".");return d.what!==""&&(s.includes(d.what)||s.includes(`!${d.what}`)||s.includes(c)||p!==""&&s.includes(p))});
if(u>=0)return`${l}/${u}`}let a=o.steps.findIndex(l=>l.rank!==""&&new RegExp(`(^|[^\\w-])'?${ii(l.rank)}'? is `).test(e));if(a>=0)return`steps/${a}`;let i=/argument\(s\): ([\w-]+)/.
exec(e)?.[1];if(i!==void 0){let l=e.includes("unexpected");for(let u of["conditions","actions"]){let d=o[u].findIndex(c=>c.args.some(p=>p.name===i&&p.text!=="")===
l);if(d>=0)return`${u}/${d}`}}return/priority/i.test(e)?n==="rules"?"priority":"steps":/\btraits?\b/i.test(e)&&n==="runbooks"?"traits":/\bowner\b|\bpublic\b/i.test(
e)&&n==="runbooks"?"owner":""}function ii(e){return e.replaceAll(/[\\^$.*+?()[\]{}|]/g,"\\$&")}function ye(e,n){let o=e.filter(r=>r.at===n).map(r=>r.text);return o.
length===0?null:o.join(" ")}function ui(e,n){return e.filter(o=>o.at.startsWith(`${n}/`))}var di={name:"--name",steps:"--steps",description:"--description",owner:"--owner",public:"--public",disable_ramdisk:"--disable-ramdisk",priority:"--priority",sensitive:"\
--sensitive",conditions:"--conditions",actions:"--actions"};function pi(e,n,o,r){return o==null?"":n==="extra"?Object.entries(o).map(([s,a])=>` --extra ${re(`${s}\
=${typeof a=="string"?a:JSON.stringify(a)}`)}`).join(""):n==="name"&&e==="templates"&&r?` ${re(String(o))}`:n==="disable_ramdisk"&&r?o===!0?" --disable-ramdisk":
"":r&&o===!1?"":` ${di[n]??`--${n}`} ${re(typeof o=="string"?o:JSON.stringify(o))}`}function fi(e,n,o){let r=Object.entries(n).map(([a,i])=>pi(e,a,i,!0)).join(""),
s=o.length===0?"":` && corten runbook trait add ${re(String(n.name))} ${o.map(re).join(" ")}`;return{corten:`corten ${Me[e]} create${r}${s}`,curl:ee("POST",je[e],
n)}}function mi(e,n,o){let r=o.filter(i=>i.op!=="remove").map(i=>pi(e,i.path.slice(1),i.value,!1)).join(""),s=o.filter(i=>i.op==="remove").map(i=>` ${di[i.path.
slice(1)]??""}`).join("");return{corten:[r===""?"":`corten ${Me[e]} set ${n}${r}`,s===""?"":`corten ${Me[e]} unset ${n}${s}`].filter(i=>i!=="").join(" && ")||`c\
orten ${Me[e]} show ${n}`,curl:ee("PATCH",`${je[e]}/${n}`,o)}}var Tu=60;function Eu(e,n){let o=n.toLowerCase().split(/\s+/).filter(a=>a!==""),r=e.filter(a=>{let i=`${a.value} ${a.about??""}`.toLowerCase();return o.every(l=>i.
includes(l))}),s=a=>a.value.toLowerCase().startsWith(n.toLowerCase())?0:1;return r.sort((a,i)=>s(a)-s(i)).slice(0,Tu)}function Tn(e){let n=et(),[o,r]=g(!1),[s,a]=g(
-1),i=Y(null),l=e.offers.some(p=>p.value===e.value),u=o?Eu(e.offers,l?"":e.value):[],d=p=>{r(!0),a(p),requestAnimationFrame(()=>i.current?.querySelector('[aria-\
selected="true"]')?.scrollIntoView({block:"nearest"}))},c=p=>{let f=u[p];f!==void 0&&(r(!1),a(-1),e.onValue(f.value),e.onPick?.(f.value))};return t("span",{class:"\
combo",children:[t("input",{id:e.id,class:`input${e.code===!0?" input-code":""}`,role:"combobox","aria-label":e.label,"aria-describedby":e.described,"aria-expan\
ded":u.length>0,"aria-controls":`${n}-list`,"aria-autocomplete":"list","aria-activedescendant":s>=0&&u[s]!==void 0?`${n}-${s}`:void 0,"aria-invalid":e.wrong===!0,
autocomplete:"off",autofocus:e.autofocus,spellcheck:!1,placeholder:e.placeholder,value:e.value,onInput:p=>{let f=p.currentTarget.value;r(!e.offers.some(m=>m.value===
f)),a(-1),e.onValue(f)},onClick:()=>r(!0),onBlur:()=>{r(!1),a(-1),l&&e.onPick?.(e.value)},onKeyDown:p=>{if(!(p.altKey||p.ctrlKey||p.metaKey)){if(p.key==="ArrowD\
own")d(o?Math.min(s+1,u.length-1):0);else if(p.key==="ArrowUp")d(Math.max(s-1,-1));else if(p.key==="Enter"&&s>=0)c(s);else if(p.key==="Escape"&&o&&u.length>0)r(
!1),a(-1);else return;p.preventDefault(),p.stopPropagation()}}}),t("ul",{class:"offers",id:`${n}-list`,role:"listbox","aria-label":`Known: ${e.label??"values"}`,
hidden:u.length===0,ref:i,children:u.map((p,f)=>t("li",{id:`${n}-${f}`,role:"option","aria-selected":f===s,class:"offer",onPointerDown:m=>{m.preventDefault(),c(
f)},children:[t("span",{class:"offer-value",children:p.value}),p.about!==void 0&&t("span",{class:"faint",children:p.about})]},p.value))})]})}function Mu(e,n,o){if(o<0||o>=e.length)return e;let r=[...e],[s]=r.splice(n,1);return s!==void 0&&r.splice(o,0,s),r}function co(e){let{part:n,lines:o,onLines:r}=e,
s=(u,d)=>r(o.map((c,p)=>p===u?{...c,...d}:c)),a=(u,d)=>{let c=Mu(o,u,d);r(n==="steps"&&e.rank?.label==="Order"?c.map((p,f)=>({...p,rank:`${f+1}`})):c),requestAnimationFrame(
()=>document.getElementById(`${n}-${o[u]?.key}`)?.focus())},i=()=>{let u=o.at(-1),d=e.rank===void 0?"":e.rank.label==="Order"?`${Number(u?.rank??0)+1}`:u?.rank??
"50",c=Qt("",{rank:d});r([...o,c]),requestAnimationFrame(()=>document.getElementById(`${n}-${c.key}`)?.focus())},l=ye(e.wrong,n);return t("fieldset",{class:"lin\
es",children:[t("legend",{children:e.title}),t("p",{class:"faint",children:e.hint}),l!==null&&t("p",{class:"wrong",role:"alert",children:l}),o.length===0&&t("p",
{class:"faint",children:e.none}),t("ol",{class:"lines-list",children:o.map((u,d)=>t("li",{class:`line${ye(e.wrong,`${n}/${d}`)===null?"":" line-wrong"}`,onKeyDown:c=>{
!c.altKey||c.key!=="ArrowUp"&&c.key!=="ArrowDown"||(c.preventDefault(),a(d,d+(c.key==="ArrowUp"?-1:1)))},children:t(Au,{...e,index:d,value:u,onChange:c=>s(d,c),
onRemove:()=>r(o.filter((c,p)=>p!==d)),onMove:c=>a(d,d+c),last:d===o.length-1})},u.key))}),t(b,{small:!0,onClick:i,children:[t(A,{name:"plus"})," Add ",e.one]})]})}
function Au(e){let{value:n,index:o,part:r,wrong:s,onChange:a}=e,i=`${r}/${o}`,l=`${e.one[0]?.toUpperCase()}${e.one.slice(1)} ${o+1}`,u=e.argsOf(n.what),d=e.aboutOf(
n.what),c=[ye(s,i),ye(s,`${i}/step`)??ye(s,`${i}/interface`)??ye(s,`${i}/op`)].filter(f=>f!==null).join(" "),p=f=>{let m=e.argsOf(f)??[],h=n.args.filter(x=>x.text!==
""),k=m.filter(x=>x.required&&!h.some(T=>T.name===x.name)).map(x=>({name:x.name,text:""}));a({what:f,args:[...h,...k]})};return t(_,{children:[t("div",{class:"l\
ine-head",children:[t("span",{class:"line-number","aria-hidden":"true",children:o+1}),e.inverts===!0&&t("label",{class:"check-line line-not",children:[t("input",
{type:"checkbox",checked:n.not,onChange:f=>a({not:f.currentTarget.checked}),"aria-label":`${l}: the opposite`})," not"]}),t(Tn,{id:`${r}-${n.key}`,label:l,described:`${r}\
-${n.key}-about`,code:!0,value:n.what,offers:e.offers,wrong:c!=="",placeholder:r==="steps"?"interface.step":"operator",onValue:f=>a({what:f}),onPick:p}),e.rank!==
void 0&&t("label",{class:"line-rank",children:[t("span",{children:e.rank.label}),t("input",{class:"input input-number",inputMode:"numeric","aria-label":`${l}: ${e.
rank.label.toLowerCase()}`,value:n.rank,onInput:f=>a({rank:f.currentTarget.value.trim()})})]}),t("span",{class:"line-buttons",children:[t(b,{small:!0,kind:"quie\
t",label:`Move ${e.one} ${o+1} up`,why:o===0?"it is the first":null,onClick:()=>e.onMove(-1),children:t(A,{name:"up"})}),t(b,{small:!0,kind:"quiet",label:`Move ${e.
one} ${o+1} down`,why:e.last?"it is the last":null,onClick:()=>e.onMove(1),children:t(A,{name:"down"})}),t(b,{small:!0,kind:"quiet",label:`Remove ${e.one} ${o+1}`,
onClick:e.onRemove,children:t(A,{name:"close"})})]})]}),t("p",{class:"line-about",id:`${r}-${n.key}-about`,children:c!==""?t("span",{class:"wrong",role:"alert",
children:c}):n.what!==""&&u===null?t("span",{class:"warned",children:[t(A,{name:"warn"})," Nothing here offers this. An agent with hardware managers of its own \
may."]}):t("span",{class:"faint",children:d})}),t(Pu,{part:r,index:o,args:n.args,known:u??[],wrong:s,values:f=>e.values(n.what,f),onArgs:f=>a({args:f})}),e.loops===
!0&&(n.loop!==""||ye(s,`${i}/loop`)!==null?t("div",{class:"line-loop",children:[t(q,{label:`Loop of ${e.one} ${o+1}`,error:ye(s,`${i}/loop`),hint:"A JSON list; \
{item} in an argument is each of its values.",children:f=>t("input",{id:f,class:"input input-code",value:n.loop,spellcheck:!1,onInput:m=>a({loop:m.currentTarget.
value})})}),r==="conditions"&&t(q,{label:"Holds if",children:f=>t("select",{id:f,class:"select",value:n.multiple,onChange:m=>a({multiple:m.currentTarget.value}),
children:[t("option",{value:"any",children:"it holds for any value"}),t("option",{value:"all",children:"it holds for all values"}),t("option",{value:"first",children:"\
it holds for the first"}),t("option",{value:"last",children:"it holds for the last"})]})})]}):t(b,{small:!0,kind:"quiet",onClick:()=>a({loop:"[]"}),children:"Lo\
op over values"}))]})}function Pu({part:e,index:n,args:o,known:r,wrong:s,values:a,onArgs:i}){let l=`${e}/${n}/args`,u=(f,m)=>i(o.map((h,k)=>k===f?{...h,...m}:h)),
d=r.filter(f=>!o.some(m=>m.name===f.name)),c=ui(s,l).filter(f=>!o.some(m=>f.at===`${l}/${m.name}`)),p=(f,m)=>`Argument ${f===""?m+1:f} of ${e.slice(0,-1)} ${n+1}`;
return t("div",{class:"args",children:[o.map((f,m)=>{let h=r.find(T=>T.name===f.name),k=ye(s,`${l}/${f.name}`),x=`${e}-${n}-arg-${m}`;return t("div",{class:"arg",
children:[h===void 0?t("input",{class:"input input-code arg-name","aria-label":`Name of argument ${m+1} of ${e.slice(0,-1)} ${n+1}`,placeholder:"name",spellcheck:!1,
value:f.name,onInput:T=>u(m,{name:T.currentTarget.value.trim()})}):t("span",{class:"arg-name arg-known",children:[f.name,h.required&&t("abbr",{title:"needed",children:"\
*"})]}),t(Tn,{code:!0,label:p(f.name,m),described:x,value:f.text,offers:a(f.name),wrong:k!==null,placeholder:"text or JSON",onValue:T=>u(m,{text:T})}),t(b,{small:!0,
kind:"quiet",label:`Remove ${p(f.name,m).toLowerCase()}`,onClick:()=>i(o.filter((T,y)=>y!==m)),children:t(A,{name:"close"})}),t("span",{class:"arg-about",id:x,children:k!==
null?t("span",{class:"wrong",role:"alert",children:k}):t("span",{class:"faint",children:[f.text===""?"":`${oi(f.text)}. `,h?.description??""]})})]},m)}),c.map(f=>t(
"p",{class:"wrong",role:"alert",children:f.text},f.at)),t("p",{class:"row args-more",children:[d.slice(0,8).map(f=>t(b,{small:!0,kind:"quiet",label:`Set ${f.name}\
 of ${e.slice(0,-1)} ${n+1}`,onClick:()=>i([...o,{name:f.name,text:""}]),children:[t(A,{name:"plus"})," ",f.name]},f.name)),e==="steps"&&t(b,{small:!0,kind:"qui\
et",label:`Add an argument to step ${n+1}`,onClick:()=>i([...o,{name:"",text:""}]),children:[t(A,{name:"plus"})," argument"]})]})]})}function hi(e){let n=new Map;
for(let o of e){let r=`${o.interface}.${o.step}`;n.set(r,[...n.get(r)??[],o])}return[...n].sort(([o],[r])=>o.localeCompare(r)).map(([o,r])=>({value:o,about:_r(r)}))}
function _r(e){let n=[...new Set(e.map(r=>r.kind))].join(", "),o=[...new Set(e.map(r=>r.implementation))].join(", ");return`${n}; of ${o}`}function gi(e,n){let o=e.
filter(s=>`${s.interface}.${s.step}`===n);if(o.length===0)return null;let r=new Map;for(let s of o)for(let a of s.args)r.has(a.name)||r.set(a.name,a);return[...r.
values()]}var Nu={value:"May hold {inventory[\u2026]}, {plugin_data[\u2026]} and {node.\u2026}.",values:'A JSON list, such as ["{inventory[cpu][count]}", 4].',regex:"\
A regular expression.",path:"Such as properties/cpu_arch.",force_strings:"true: values are compared as texts.",unique:"true: what is there already is not added \
again.",subnet:"Such as 10.0.0.0/8.",address:"Such as {inventory[bmc_address]}.",level:"debug, info, warning, error or critical.",msg:"What is said.",port_id:"T\
he UUID of a port."};function bi(e,n){let o=e.find(s=>s.op===n);if(o===void 0)return n===""||e.length===0?[]:null;let r=s=>a=>({name:a,description:Nu[a]??"",required:s});
return[...o.required.map(r(!0)),...o.optional.map(r(!1))]}var vi="corten.trial.node",yi="/corten/v1/inspection_rules/try";function xr(e,n,o=[]){if(o.length>=400)return o;if(typeof e=="object"&&e!==null)for(let[r,s]of Object.
entries(e))xr(s,`${n}[${r}]`,o);else{let r=String(e);o.push({value:`{${n}}`,about:r.length>60?`${r.slice(0,60)}\u2026`:r})}return o}function uo(){let[e,n]=g(localStorage.
getItem(vi)??""),[o,r]=g([]),[s,a]=g(null);return D(()=>{if(r([]),a(null),e==="")return;let i=new AbortController,l=window.setTimeout(()=>{ne(`/v1/nodes/${C(e)}\
/inventory`,i.signal).then(u=>{localStorage.setItem(vi,e),r([...xr(u.inventory,"inventory"),...xr(u.plugin_data,"plugin_data")])},u=>{i.signal.aborted||a($e(u).
message)})},300);return()=>{window.clearTimeout(l),i.abort()}},[e]),{node:e,setNode:n,found:o,wrong:s}}function Ou(e){let[n,o]=g([]);return D(()=>{let r=new AbortController,
s=window.setTimeout(()=>{let a=e===""?"":`&q=${C(/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e)}`;ne(`/corten/v1/nodes?limit=20${a}`,r.signal).then(i=>o(i.nodes.
map(l=>({value:l.name??l.uuid,about:l.provision_state}))),()=>{})},150);return()=>{window.clearTimeout(s),r.abort()}},[e]),n}function po({rule:e,why:n,trial:o}){
let{node:r,setNode:s,wrong:a}=o,[i,l]=g(e===null),[u,d]=g(null),[c,p]=g(null),[f,m]=g(!1),h=Ou(r),k={node:r,...i||e===null?{}:{rule:e}},x=ce(ae.value,"corten:in\
spection_rule:try")??(r===""?"choose a machine first":i?null:n),T=async()=>{m(!0),p(null);try{d(await j("POST",yi,k))}catch(v){d(null),p($e(v))}m(!1)},y=`corten\
 inspection rule try ${re(r===""?"NODE":r)}${i||e===null?"":` --rule ${re(JSON.stringify(e))}`}`;return t("section",{class:"panel trial-panel","aria-labelledby":"\
trial-title",children:[t("header",{class:"panel-head",children:[t("h2",{id:"trial-title",class:"panel-title",children:"Try it"}),t("div",{class:"panel-actions",
children:t(le,{commands:{corten:y,curl:ee("POST",yi,k)}})})]}),t("div",{class:"panel-body",children:[t("p",{class:"faint",children:"On what the last inspection \
of a machine found. Nothing is written and nobody is called; secrets are masked."}),t("form",{class:"trial-form",onSubmit:v=>{v.preventDefault(),x===null&&T()},
children:[t(q,{label:"Machine",error:a,children:(v,w)=>t(Tn,{id:v,described:w,value:r,offers:h,onValue:R=>s(R.trim()),placeholder:"name or UUID"})}),e!==null&&t(
"label",{class:"check-line",children:[t("input",{type:"checkbox",checked:i,onChange:v=>l(v.currentTarget.checked)})," the stored rules instead, all of them"]}),
t(b,{type:"submit",kind:"main",busy:f,why:x,children:"Try"})]}),t("div",{"aria-live":"polite",children:[c!==null&&t(be,{error:c}),u!==null&&t(Ru,{report:u})]})]})]})}
function Ru({report:e}){return t("div",{class:"outcome",children:[e.rules.length===0&&t("p",{children:"There are no rules."}),e.rules.map((n,o)=>t(Lu,{rule:n},n.
uuid??o)),e.error!==null&&t("p",{class:"wrong",role:"alert",children:[t(V,{look:"failed"})," The inspection would fail: ",e.error]}),t("h3",{children:"What woul\
d be changed"}),e.changes.length===0?t("p",{class:"faint",children:"Nothing."}):t(Du,{changes:e.changes})]})}function Lu({rule:e}){return t("div",{class:"tried",
children:[t("p",{class:e.applies?"good":"",children:[e.applies?t(A,{name:"check"}):t("span",{"aria-hidden":"true",children:"\u25CB"})," ",t("strong",{children:e.
description??(e.uuid===null?"This rule":`Rule ${e.uuid.slice(0,8)}`)})," ",e.applies?"applies":"does not apply",e.sensitive&&t("span",{class:"chip",children:"se\
nsitive: its values are not shown"})]}),t("ul",{class:"tried-list",children:[e.conditions.map((n,o)=>t("li",{children:[t("span",{class:n.holds===!0?"good":n.holds===
null?"wrong":"warned",children:n.holds===!0?"\u2713 holds":n.holds===!1?"\u2717 does not hold":"! cannot be judged"})," ",t("code",{children:n.op})," ",n.seen.map(
(r,s)=>t("code",{class:"faint",children:Object.entries(r).map(([a,i])=>`${a} ${JSON.stringify(i)}`).join(", ")},s)),n.error!==null&&t("span",{class:"wrong",children:[
" ",n.error]})]},o)),e.actions.map((n,o)=>t("li",{children:[t("span",{class:n.done?"good":"faint",children:n.done?"\u2713 would be done":n.error===null?"\u2013 not r\
eached":"! fails"})," ",t("code",{children:n.op}),n.effects.map((r,s)=>t("span",{children:[" ",r]},s)),n.error!==null&&t("span",{class:"wrong",children:[" ",n.error]})]},
`a${o}`))]})]})}function Du({changes:e}){return t("div",{class:"scroll-x",role:"region","aria-label":"Changes",tabIndex:0,children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"of"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"before"}),t("th",{
scope:"col",children:"after"})]})}),t("tbody",{children:e.map((n,o)=>t("tr",{children:[t("td",{children:n.subject}),t("th",{scope:"row",children:n.path}),t("td",
{class:"wrap",children:n.before===null?t("span",{class:"faint",children:"nothing"}):t("code",{children:JSON.stringify(n.before)})}),t("td",{class:"wrap",children:n.
after===null?t("span",{class:"faint",children:"removed"}):t("code",{children:JSON.stringify(n.after)})})]},o))})]})})}var Iu={templates:"baremetal:deploy_template",runbooks:"baremetal:runbook",rules:"baremetal:inspection_rule"},Zt=(e,n)=>Et(ae.value,`${Iu[e]}:${n}`),Bu=["resour\
ce_class","name","description","owner","conductor_group","driver","shard","automated_clean","maintenance","properties/cpu_arch","properties/capabilities","prope\
rties/root_device","properties/vendor","driver_info/deploy_kernel","driver_info/deploy_ramdisk","extra/rack","bios_interface","boot_interface","deploy_interface",
"management_interface","raid_interface"].map(e=>({value:e})),qu=["debug","info","warning","error","critical"].map(e=>({value:e})),Fu=["true","false"].map(e=>({value:e}));
function ki({kind:e,id:n}){let o=n==="new",r=o?Q.value.get("from"):n,s=O(r===null?null:`${je[e]}/${C(r)}`),a=O(e==="rules"?null:"/corten/v1/steps"),i=O(e==="rul\
es"?"/corten/v1/inspection_rules/operators":null),l=O("/corten/v1/openapi.json"),u=o?`New ${Me[e]}`:`Edit ${Me[e]}`,d=(r===null||s.data.value!==void 0)&&(e!=="r\
ules"||!i.loading.value),c=l.data.value?.paths[je[e]]?.post?.requestBody?.content["application/json"]?.schema;return D(()=>{document.title=`${u} \xB7 Corten`},[
u]),t("div",{class:"stack editor",children:[t("p",{children:t("a",{href:E([e]),children:["\u2039 All ",Me[e],"s"]})}),t("h1",{children:u}),s.error.value!==void 0&&
s.data.value===void 0?t(be,{error:s.error.value,retry:s.reload}):d?t(Wu,{kind:e,uuid:o?null:String(s.data.value?.uuid??n),stored:o?null:s.data.value??null,first:s.
data.value===void 0?io(e):{...ri(e,s.data.value,i.data.value),...o?{name:""}:{}},schema:c,steps:a.data.value?.steps??[],operators:i.data.value},n):t(Ae,{lines:8})]})}
var ju={templates:["deploy"],runbooks:["clean","service"],rules:[]};function Wu({kind:e,uuid:n,first:o,schema:r,steps:s,operators:a}){let[i]=g({body:n===null?null:
Cn(e,o),traits:kr(o)}),[l,u]=g(o),[d,c]=g(!1),[p,f]=g(null),[m,h]=g(!1),[k,x]=g(!1),T=uo();Ke(()=>document.querySelector(".editor form .input")?.focus(),[]);let y=z=>{
f(null),u({...l,...z})},v=Cn(e,l),w=kr(l),R=i.body===null?[]:si(i.body,v),$=JSON.stringify(w)===JSON.stringify(i.traits),M=li(e,l,r,a),S=[...M.filter(z=>d||z.empty!==
!0),...p===null?[]:[p]],J=i.body!==null&&R.length===0&&$,P=Zt(e,n===null?"create":"update")??(J?"nothing is changed":null),te=()=>{c(!0),P!==null?F(`Not now: ${P}\
.`):M.length===0?h(!0):(F(`${M.length===1?"One thing is":`${M.length} things are`} to be put right first.`),requestAnimationFrame(()=>document.querySelector('.e\
ditor [aria-invalid="true"], .editor .field-wrong .input, .editor .line-wrong .input')?.focus()))};Be([{keys:"Ctrl Enter",about:"review what will be sent",run:te}]);
let ue=async()=>{x(!0);try{let z=n??String((await j("POST",je[e],v))?.uuid);if(n!==null&&R.length>0&&await j("PATCH",`${je[e]}/${C(n)}`,R),e==="runbooks"&&!$)try{
await j("PUT",`${je.runbooks}/${C(z)}/traits`,{traits:w})}catch(Ue){G("The runbook is stored, but its traits were refused",Ue),X(E([e,z]));return}F(`The ${Me[e]}\
 is stored.`),X(E([e]))}catch(z){let Ue=$e(z);h(!1),f({at:ci(Ue.message,e,l),text:`${Ue.message}${Ue.requestId===null?"":` (request ${Ue.requestId})`}`}),F("The\
 service refused it.")}finally{x(!1)}},I=n===null?fi(e,v,w):mi(e,n,R),ie=ye(S,""),pe=Je(()=>s.filter(z=>ju[e].includes(z.kind)),[s,e]),Se=t("form",{class:"stack",
onKeyDown:z=>{z.key!=="Enter"||!(z.ctrlKey||z.metaKey)||(z.preventDefault(),te())},onSubmit:z=>{z.preventDefault(),te()},children:[ie!==null&&t("p",{class:"wron\
g editor-refusal",role:"alert",children:[t(A,{name:"warn"})," ",ie]}),e==="rules"?t(Ku,{draft:l,wrong:S,edit:y,operators:a,offers:T.found,locked:o.sensitive&&n!==
null}):t(Hu,{kind:e,draft:l,wrong:S,edit:y,steps:pe}),t("div",{class:"editor-foot",children:[t(b,{onClick:()=>X(E([e])),children:"Cancel"}),t("span",{class:"spr\
ing"}),t("span",{class:"faint editor-keys",children:[t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Enter"})]}),t(b,{kind:"main",type:"submit",why:P,children:[
"Review and ",n===null?"create":"save"]})]}),m&&t(Uu,{title:n===null?`Create this ${Me[e]}?`:`Change this ${Me[e]}?`,before:wi(i.body,i.traits,e),after:wi(v,w,e),
commands:I,busy:k,action:n===null?"Create":"Save",onClose:()=>h(!1),onYes:()=>{ue()}})]});return t(_,{children:[Se,e==="rules"&&!l.hidden&&t(po,{rule:v,why:M.length===
0?null:"the rule is not complete",trial:T})]})}function wi(e,n,o){return e===null||o!=="runbooks"?e:{...e,traits:n}}function Uu(e){return t(de,{wide:!0,title:e.
title,onClose:e.onClose,foot:t(_,{children:[t(b,{onClick:e.onClose,children:"Back"}),t(b,{kind:"main",autofocus:!0,busy:e.busy,onClick:e.onYes,children:e.action})]}),
children:[t("pre",{class:"diff-lines","aria-label":"What will be sent",tabIndex:0,children:ai(e.before,e.after).map((n,o)=>t("span",{class:n.sign==="+"?"diff-ad\
d":n.sign==="-"?"diff-remove":"",children:[n.sign," ",n.text,`
`]},o))}),t(Pe,{label:"corten",text:e.commands.corten}),t(Pe,{label:"curl",text:e.commands.curl})]})}function Hu({kind:e,draft:n,wrong:o,edit:r,steps:s}){let a=e===
"templates"?"priority":"order",i=o.map(u=>({...u,at:u.at.replace(/^(steps\/\d+)\/(priority|order)$/,"$1"),text:u.at.endsWith(`/${a}`)?`${a}: ${u.text}`:u.text})),
l=u=>{let d=s.filter(c=>`${c.interface}.${c.step}`===u);return d.length===0?null:`${_r(d)}; drivers: ${[...new Set(d.flatMap(c=>c.drivers))].join(", ")}`};return t(
_,{children:[t("section",{class:"panel panel-body form",children:[t(q,{label:"Name",error:ye(o,"name"),hint:e==="templates"?"The trait that asks for it, such as\
 CUSTOM_RAID1: it is used for instances that have this trait.":"By which it is asked for, such as burn-in. Nodes are found by its traits.",children:(u,d)=>t("in\
put",{id:u,class:"input","aria-describedby":d,"aria-invalid":ye(o,"name")!==null,autocomplete:"off",spellcheck:!1,value:n.name,onInput:c=>r({name:c.currentTarget.
value})})}),e==="runbooks"&&t(_,{children:[t(q,{label:"Description",error:ye(o,"description"),hint:"What it is for. Optional.",children:(u,d)=>t("input",{id:u,class:"\
input","aria-describedby":d,value:n.description,onInput:c=>r({description:c.currentTarget.value})})}),t(q,{label:"Traits",error:ye(o,"traits"),hint:"It may be u\
sed on nodes that have one of them. Separated by spaces.",children:(u,d)=>t("input",{id:u,class:"input","aria-describedby":d,"aria-invalid":ye(o,"traits")!==null,
autocomplete:"off",spellcheck:!1,value:n.traits,onInput:c=>r({traits:c.currentTarget.value})})}),t(q,{label:"Owner",error:ye(o,"owner"),hint:"The project it bel\
ongs to; empty for all who may use it.",children:(u,d)=>t("input",{id:u,class:"input","aria-describedby":d,autocomplete:"off",spellcheck:!1,value:n.owner,onInput:c=>r(
{owner:c.currentTarget.value})})}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:n.public,onChange:u=>r({public:u.currentTarget.checked})}),
" Public: other projects may use it"]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:n.disableRamdisk,onChange:u=>r({disableRamdisk:u.
currentTarget.checked})})," Without a ramdisk: only steps that need no agent"]})]})]}),t("section",{class:"panel panel-body",children:t(co,{part:"steps",title:"\
Steps",one:"step",hint:e==="templates"?"Added to deployments by their priority: the highest runs first. Priority 0 takes the step of this name out.":"Run in thi\
s order.",none:"There are no steps.",lines:n.steps,wrong:i,offers:hi(s),argsOf:u=>gi(s,u),values:()=>[],aboutOf:l,rank:e==="templates"?{label:"Priority",hint:""}:
{label:"Order",hint:""},onLines:u=>r({steps:u})})}),t("section",{class:"panel panel-body form",children:t(q,{label:"Extra",error:ye(o,"extra"),hint:"Notes of yo\
urs, as a JSON object.",children:(u,d)=>t("input",{id:u,class:"input input-code","aria-describedby":d,spellcheck:!1,value:n.extra,onInput:c=>r({extra:c.currentTarget.
value})})})})]})}function Ku({draft:e,wrong:n,edit:o,operators:r,offers:s,locked:a}){let i={conditions:r?.conditions??[],actions:r?.actions??[]},l=d=>d==="path"?
Bu:d==="level"?qu:d==="unique"||d==="force_strings"?Fu:["value","address","msg","url","name"].includes(d)?s:[],u=d=>({part:d,lines:e[d],wrong:n,offers:i[d].map(
c=>({value:c.op,about:c.about})),argsOf:c=>bi(i[d],c),values:(c,p)=>l(p),aboutOf:c=>i[d].find(p=>p.op===c)?.about??null,loops:!0,onLines:c=>o({[d]:c})});return t(
_,{children:[t("section",{class:"panel panel-body form",children:[t(q,{label:"Description",error:ye(n,"description"),hint:"What it is for.",children:(d,c)=>t("i\
nput",{id:d,class:"input","aria-describedby":c,value:e.description,onInput:p=>o({description:p.currentTarget.value})})}),t(q,{label:"Priority",error:ye(n,"prior\
ity"),hint:"0 to 9999; the highest runs first.",children:(d,c)=>t("input",{id:d,class:"input input-number","aria-describedby":c,"aria-invalid":ye(n,"priority")!==
null,inputMode:"numeric",value:e.priority,onInput:p=>o({priority:p.currentTarget.value.trim()})})}),t("label",{class:"check-line",children:[t("input",{type:"che\
ckbox",checked:e.sensitive,disabled:a,onChange:d=>o({sensitive:d.currentTarget.checked})})," Sensitive: what it says is never shown again, and that cannot be un\
done"]})]}),e.hidden?t("section",{class:"panel panel-body",children:[t("p",{children:"The service does not show what a sensitive rule says. It stays as it is, u\
nless you write it anew."}),t(b,{small:!0,onClick:()=>o({...io("rules"),description:e.description,priority:e.priority,sensitive:!0,hidden:!1}),children:"Write i\
t anew"})]}):t(_,{children:[t("section",{class:"panel panel-body",children:t(co,{...u("conditions"),title:"If all of these hold",one:"condition",hint:"Without a\
 condition it always applies.",none:"Always.",inverts:!0})}),t("section",{class:"panel panel-body",children:t(co,{...u("actions"),title:"Then do this",one:"acti\
on",hint:"One after the other. The first that fails ends the inspection.",none:"Nothing."})})]})]})}function $r({kind:e,title:n,command:o,none:r}){let s=Fe.value[1];return s!==void 0?t(ki,{kind:e,id:s},s):t(Ju,{kind:e,title:n,command:o,none:r})}function Ju({kind:e,
title:n,command:o,none:r}){let s=`${je[e]}?detail=True`,a=O(s),[i,l]=g(null),u=e==="rules"&&Q.value.get("try")!==null;D(()=>{let c=()=>a.reload();return addEventListener(
"focus",c),()=>removeEventListener("focus",c)},[]),Be([{keys:"n",about:`new ${Me[e]}`,run:()=>X(E([e,"new"]))}]);let d=i===null?"":i.name??i.uuid.slice(0,8);return t(
"div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:n}),t("span",{class:"spring"}),t(le,{commands:{corten:o,curl:ee("GET",s)}}),
e==="rules"&&t(b,{pressed:u,onClick:()=>U({try:u?null:"1"}),children:"Try all"}),t(b,{kind:"main",why:Zt(e,"create"),onClick:()=>X(E([e,"new"])),children:[t(A,{
name:"plus"})," New ",Me[e]]})]}),t("p",{class:"faint",children:r}),u&&t(Vu,{}),t(H,{doc:a,lines:6,children:c=>{let p=c[je[e].slice(4)]??[];return p.length===0?
t(W,{title:`No ${n.toLowerCase()}`,children:[t("p",{children:r}),t("p",{children:t("a",{href:E([e,"new"]),children:"Write the first"})})]}):t("div",{class:"card\
s",children:p.map(f=>t(Gu,{kind:e,recipe:f,onDelete:()=>l(f)},f.uuid))})}}),i!==null&&t(ze,{title:`Delete ${Me[e]} ${i.name??i.description??i.uuid}`,text:t("p",
{children:"What it does is not done any more. What was done by it stays."}),word:d,action:"Delete",onClose:()=>l(null),onYes:()=>{j("DELETE",`${je[e]}/${C(i.uuid)}`).
then(()=>{l(null),F(`The ${Me[e]} is deleted.`),a.reload()},c=>G("It could not be deleted",c))},children:t(Pe,{label:"corten",text:`corten ${Me[e]} delete ${i.uuid}`})})]})}
function Vu(){let e=uo();return t(po,{rule:null,why:null,trial:e})}function Gu({kind:e,recipe:n,onDelete:o}){let[r,s]=g(!1),a=n.name??n.description??n.uuid,i=[...n.
steps??[]].sort((l,u)=>e==="templates"?(u.priority??0)-(l.priority??0):(l.order??0)-(u.order??0));return t(N,{level:3,title:a,children:[n.name!==void 0&&n.description!=
null&&t("p",{children:n.description}),t("p",{class:"row",children:[n.owner!=null&&t("span",{class:"chip",children:["owner ",n.owner]}),n.public===!0&&t("span",{
class:"chip",children:"public"}),n.disable_ramdisk===!0&&t("span",{class:"chip",children:"no ramdisk"}),e==="rules"&&t("span",{class:"chip",children:["priority ",
n.priority??0]}),n.sensitive===!0&&t("span",{class:"chip",children:"sensitive"}),n.traits?.map(l=>t("span",{class:"chip",children:l},l))]}),e==="runbooks"&&n.traits?.
length===0&&t("p",{class:"warned",children:"Without a trait it fits no node: edit it and name one."}),n.steps!==void 0&&t("ol",{class:"plan-steps",children:i.map(
(l,u)=>t("li",{children:[l.interface,".",l.step," ",l.priority!==void 0&&t("span",{class:"faint",children:["priority ",l.priority]})," ",Object.keys(l.args??{}).
length>0&&t("code",{class:"faint",children:JSON.stringify(l.args)})]},u))}),e==="rules"&&(n.sensitive===!0?t("p",{class:"faint",children:"What it says is not sh\
own."}):t(_,{children:[t("p",{children:[t("strong",{children:"If"})," ",(n.conditions??[]).length===0?"always":(n.conditions??[]).map(l=>_i(l)).join(" and ")]}),
t("p",{children:[t("strong",{children:"then"})," ",(n.actions??[]).map(l=>_i(l)).join(", ")]})]})),t("p",{class:"row",children:[t(b,{small:!0,label:`Edit ${a}`,
why:Zt(e,"update"),onClick:()=>X(E([e,n.uuid])),children:"Edit"}),t(b,{small:!0,kind:"quiet",label:`Copy ${a}`,why:Zt(e,"create")??(n.sensitive===!0?"what it sa\
ys is not shown":null),onClick:()=>X(E([e,"new"],{from:n.uuid})),children:"Copy"}),t(b,{small:!0,kind:"quiet",label:`JSON of ${a}`,expanded:r,onClick:()=>s(!r),
children:"JSON"}),t(b,{small:!0,kind:"quiet",label:`Delete ${a}`,why:Zt(e,"delete"),onClick:o,children:"Delete"})]}),r&&t("pre",{class:"json",children:JSON.stringify(
n,null,2)})]})}function _i(e){let{op:n,args:o,...r}=e,s=typeof o=="object"&&o!==null?Object.entries(o):[],a=Object.entries(r).filter(([,i])=>i!==null&&i!==!1&&i!==
"any");return`${String(n)} ${[...s,...a].map(([i,l])=>`${i} ${typeof l=="string"?l:JSON.stringify(l)}`).join(", ")}`}function xi(){return t($r,{kind:"templates",
title:"Deploy templates",command:"corten deploy template list",none:"A deploy template adds steps to deployments of instances that ask for the trait of its name\
."})}function $i(){return t($r,{kind:"runbooks",title:"Runbooks",command:"corten runbook list",none:"A runbook is a list of steps with a name, for cleaning and \
servicing nodes that have one of its traits."})}function Si(){return t($r,{kind:"rules",title:"Inspection rules",command:"corten inspection rule list",none:"An \
inspection rule changes a node by what inspection found: if its conditions hold, its actions are done."})}var Ci="/corten/v1/image-caches",zu={instance:"Images of instances",boot:"Kernels and ramdisks",iso:"Discs for virtual drives"};function Ti(){let[e,n]=g(1e4),o=O(
Ci,{every:e,keep:!0}),r=O("/corten/v1/images",{every:1e4,keep:!0}),a=(o.data.value?.conductors.flatMap(l=>l.caches??[])??[]).some(l=>l.downloads.length>0)?1e3:1e4;
a!==e&&n(a);let i=Q.value.get("q")??"";return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Images"}),t("span",{class:"\
spring"}),t(le,{commands:{corten:"corten image cache",curl:ee("GET",Ci)}})]}),t(N,{title:"Under names",children:t(H,{doc:r,lines:2,children:l=>l.images.length===
0?t(W,{title:"No images under names",children:[t("p",{children:"An image under a name is fetched and checked once; nodes then say image://NAME."}),t("code",{children:"\
corten image add debian-13"})]}):t(Yu,{images:l.images})})}),t("div",{class:"page-head",children:[t("h2",{children:"Caches"}),t("span",{class:"spring"}),t("inpu\
t",{class:"input filter-wide",type:"search","aria-label":"Filter copies",placeholder:"Filter by address or file",value:i,onInput:l=>U({q:l.currentTarget.value},
!0)})]}),t(H,{doc:o,lines:6,children:l=>l.conductors.length===0?t(W,{title:"No conductor is alive",children:t("p",{children:"Caches are on the disks of conducto\
rs."})}):l.conductors.map(u=>t("section",{class:"stack","aria-label":`Conductor ${u.host}`,children:[t("h3",{children:u.host}),u.error!==null&&t("p",{class:"wro\
ng",children:["It does not tell: ",u.error]}),u.error===null&&(u.caches??[]).length===0&&t("p",{class:"faint",children:"It keeps no images."}),(u.caches??[]).map(
d=>t(Qu,{cache:d,typed:i},d.purpose))]},u.host))})]})}function Yu({images:e}){return t("div",{class:"scroll-x",role:"region","aria-label":"Images under names",tabIndex:0,
children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t(
"th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"from"}),t("th",{scope:"col",children:"fetched"})]})}),t("tbody",{children:e.map(n=>t(
"tr",{children:[t("th",{scope:"row",children:n.name}),t("td",{children:[t("span",{class:"state",children:[t(V,{look:n.last_error!==null?"failed":n.state==="read\
y"||n.state==="available"?"in_use":"working"})," ",n.state]}),n.state!=="ready"&&n.total_bytes!==null&&n.total_bytes>0&&t(De,{value:Re(n.done_bytes,n.total_bytes),
label:`${n.name}: how much has arrived`}),n.last_error!==null&&t("p",{class:"wrong wrap",children:n.last_error})]}),t("td",{class:"num",children:_e(n.size)}),t(
"td",{class:"wrap",children:t("code",{children:n.url??"uploaded"})}),t("td",{children:t(fe,{at:n.fetched_at,ago:!0})})]},n.uuid))})]})})}function Qu({cache:e,typed:n}){
let[o,r]=g(20),s=n.toLowerCase(),a=e.copies.filter(l=>`${l.source??""} ${l.file}`.toLowerCase().includes(s)),i=Re(e.bytes,e.most_bytes);return t(N,{class:"cache",
title:zu[e.purpose]??e.purpose,level:3,children:[t(De,{value:i,label:`How full this cache is: ${Math.round(i)} %`}),t(ge,{rows:[["In use",`${_e(e.bytes)} of ${_e(
e.most_bytes)} in ${Z(e.files,"file")}`],["Free on its disk",_e(e.free_bytes)],["Kept unused for",he(e.ttl_s)],["Folder",t("code",{children:e.folder})]]}),e.downloads.
length>0&&t("ul",{class:"downloads","aria-label":"Downloads",children:e.downloads.map(l=>t("li",{children:[t(V,{look:"working"})," ",t("code",{children:l.source}),
" ",_e(l.bytes),l.total!==null&&t(_,{children:[" of ",_e(l.total)]}),", since ",t(fe,{at:l.since}),l.total!==null&&t(De,{value:Re(l.bytes,l.total),label:`${l.source}\
: how much has arrived`})]},l.source+l.since))}),a.length===0?t("p",{class:"faint",children:e.copies.length===0?"It is empty: an image comes here when it is fir\
st needed.":"No copy fits."}):t("div",{class:"scroll-x",role:"region","aria-label":"Copies",tabIndex:0,children:t("table",{class:"table",children:[t("thead",{children:t(
"tr",{children:[t("th",{scope:"col",children:"image"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col",
children:"last used"}),t("th",{scope:"col",class:"num",children:"users"})]})}),t("tbody",{children:a.slice(0,o).map(l=>t("tr",{children:[t("th",{scope:"row",class:"\
wrap",children:t("code",{title:l.file,children:l.source??l.file})}),t("td",{class:"num",children:_e(l.bytes)}),t("td",{children:t(fe,{at:l.fetched_at})}),t("td",
{children:t(fe,{at:l.used_at,ago:!0})}),t("td",{class:"num",children:l.users===0?t("span",{class:"faint",children:"none"}):L(l.users)})]},l.file))})]})}),a.length>
o&&t(b,{small:!0,onClick:()=>r(o*4),children:["Show more of ",L(a.length)]}),e.files>e.copies.length&&t("p",{class:"faint",children:["The ",L(e.copies.length),"\
 largest are shown."]})]})}function Ei(){return t(W,{title:"There is no such screen",children:t("p",{children:[t("a",{href:E([]),children:"Go to the fleet"}),", or press ",t("kbd",{children:"\
Ctrl K"})," to find something."]})})}var Mi="/corten/v1/config";function Zu(e,n){let o=`[${e.section}] ${e.section}.${e.name} ${e.values.join(" ")} ${e.source} ${e.about}`.toLowerCase();return n.toLowerCase().
split(/\s+/).every(r=>o.includes(r))}function Ai(){let e=ce(ae.value,"corten:config:get"),n=O(e===null?Mi:null),o=Q.value.get("q")??"",r=Q.value.get("all")!==null;
return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Settings"}),t("span",{class:"spring"}),t(le,{commands:{corten:`co\
rten settings${r?" --all":""}`,curl:ee("GET",Mi)}}),t(b,{onClick:n.reload,why:e,children:"Read again"})]}),e!==null?t(W,{title:"The configuration is for adminis\
trators",children:t("p",{children:["Not now: ",e,"."]})}):n.error.value!==void 0&&n.data.value===void 0?t(be,{error:n.error.value,retry:n.reload}):t(_,{children:[
t("div",{class:"row",children:[t("input",{class:"input filter-wide",type:"search","aria-label":"Filter options",placeholder:"Filter: section, name, value, file \
or meaning",value:o,onInput:s=>U({q:s.currentTarget.value},!0)}),t("div",{class:"segmented",role:"radiogroup","aria-label":"Which options",children:[t("label",{
children:[t("input",{type:"radio",name:"which",checked:!r,onChange:()=>U({all:null},!0)}),t("span",{children:"Set by somebody"})]}),t("label",{children:[t("inpu\
t",{type:"radio",name:"which",checked:r,onChange:()=>U({all:"1"},!0)}),t("span",{children:"All"})]})]})]}),t(H,{doc:n,lines:10,children:s=>t(Xu,{config:s,typed:o,
all:r})})]})]})}function Xu({config:e,typed:n,all:o}){let r=e.options.filter(a=>(o||a.is_set)&&(n===""||Zu(a,n))),s=[...new Set(r.map(a=>a.section))];return t(_,
{children:[t("p",{class:"faint",children:["What ",e.host===""?"this process":e.host," (",e.role,", version ",e.version,") runs with: ",Z(r.length,"option"),". I\
t is changed in its file and takes effect at the next start; secrets are masked. Other processes of a cluster may have other settings."]}),r.length===0?t(W,{title:n===
""?"Everything has its default":"No option fits",children:o?t("p",{children:"Nothing in section, name, value, file or meaning has this."}):t("p",{children:t(b,{
small:!0,onClick:()=>U({all:"1"},!0),children:"Show all options"})})}):s.map(a=>t("section",{class:"panel","aria-labelledby":`section-${a}`,children:[t("header",
{class:"panel-head",children:t("h2",{class:"panel-title",id:`section-${a}`,children:["[",a,"]"]})}),t("dl",{class:"options",children:r.filter(i=>i.section===a).
map(i=>t("div",{class:`option${i.is_set?" option-set":""}`,children:[t("dt",{children:[t("code",{children:i.name}),t("span",{class:"option-source",title:i.source,
children:[i.is_masked&&t(A,{name:"lock"})," ",i.source]})]}),t("dd",{children:[i.values.length===0?t("span",{class:"faint",children:"not set"}):i.values.map((l,u)=>t(
"code",{children:l===""?"(empty)":l},u)),i.is_set&&i.default!==null&&i.values.join()!==i.default&&t("span",{class:"faint",children:[" default ",i.default===""?"\
(empty)":i.default]}),t("p",{class:"faint",children:i.about}),i.effect!==null&&i.is_set&&t("p",{class:"warned",children:[t(A,{name:"warn"})," ",i.effect]})]})]},
i.name))})]},a))]})}var ed="/corten/v1/shadow";function td(e){return`${Z(e.compared,"answer")} compared, ${L(e.differ)} differ`}function Ni(){let e=ce(ae.value,"corten:shadow:get"),
n=O(e===null?ed:null,{every:2e3,keep:!0});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Shadow"}),t("span",{class:"\
spring"}),t(b,{onClick:n.reload,why:e,children:"Read again"})]}),e!==null?t(W,{title:"The comparison is for administrators",children:t("p",{children:["Not now: ",
e,"."]})}):n.error.value!==void 0&&n.data.value===void 0?t(be,{error:n.error.value,retry:n.reload}):t(H,{doc:n,lines:6,children:({shadow:o})=>o===null?t(W,{title:"\
This service is the shadow of no Ironic",children:t("p",{children:[t("code",{children:"corten shadow"})," follows an Ironic that goes on, and compares answers w\
ith it."]})}):t(nd,{shadow:o})})]})}function Pi(e){return Object.entries(e).map(([n,o])=>`${L(o)} ${n}`).join(", ")}function nd({shadow:e}){let{load:n}=e,o=e.differences,
r=[["Ironic",`${e.ironic} (${e.release})`],["Its database",e.source],["Proxy",e.proxy??"none"],["Differ on purpose",`${L(e.explained)}${e.explained>0?`: ${Pi(e.
reasons)}`:""}`],["Newer than the copy",L(e.newer)],["Looked at again",L(e.pending)],["Not compared",Pi(e.not_compared)||"none"],["The copy",`${Z(e.import.nodes,
"node")}, ${Z(e.import.imports,"import")}, the last in ${he(e.import.last_ms/1e3)}; ${Z(e.import.findings,"finding")}`],["What Ironic was asked",`${Z(n.statements,
"statement")} in ${he(n.statements_ms/1e3)}, ${Z(n.requests,"request")} in ${he(n.requests_ms/1e3)}`]];return t(_,{children:[t(N,{title:td(e),children:[t("p",{class:"\
faint",children:["Since ",t(fe,{at:e.since}),".",e.import.last_error!==null&&` The last import failed: ${e.import.last_error}`]}),t(ge,{rows:r})]}),o.length>0&&
t(N,{title:"The last differences",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{children:"When"}),t("th",{children:"\
Request"}),t("th",{children:"Place"}),t("th",{children:"Ironic"}),t("th",{children:"Here"})]})}),t("tbody",{children:o.map(s=>t("tr",{children:[t("td",{children:t(
fe,{at:s.at})}),t("td",{children:t("code",{children:[s.method," ",s.path," ",s.version]})}),t("td",{children:t("code",{children:s.place})}),t("td",{children:s.ironic??
"nothing"}),t("td",{children:s.here??"nothing"})]},`${s.path} ${s.version} ${s.place}`))})]})})]})}function Oi(){let e=O("/corten/v1/webhooks",{every:5e3}),[n,o]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"\
Webhooks"}),t("span",{class:"spring"}),t(le,{commands:{corten:"corten webhook list",curl:ee("GET","/corten/v1/webhooks")}})]}),t(H,{doc:e,lines:5,children:r=>r.
webhooks.length===0?t(W,{title:"No webhooks",children:[t("p",{children:"A webhook has every event posted to an address of yours, in order and at least once."}),
t("code",{children:"corten webhook create URL"})]}):t("div",{class:"cards",children:r.webhooks.map(s=>t(od,{one:s,onLetters:()=>o(s),reload:e.reload},s.uuid))})}),
n!==null&&t(rd,{webhook:n,onClose:()=>o(null)})]})}function od({one:e,onLetters:n,reload:o}){let[r,s]=g(!1),a=`/corten/v1/webhooks/${C(e.uuid)}`,i=Math.max(0,Ie.
value-e.cursor),l=e.enabled?e.failures>0?"failed":"in_use":"held",u=async()=>{s(!0);try{let c=await j("POST",`${a}/test`);c?.delivered===!0?F(`Delivered: status\
 ${c.status??""}, ${c.duration_ms} ms.`):G("The test was not delivered",new Error(c?.error??"no reason is known"))}catch(c){G("The test was refused",c)}s(!1)},d=async()=>{
try{await j("PATCH",a,{enabled:!e.enabled}),o()}catch(c){G("The change was refused",c)}};return t(N,{level:3,title:t(_,{children:[t(V,{look:l})," ",e.description??
e.url]}),children:[t(ge,{rows:[["Address",t("code",{children:e.url})],["State",e.enabled?e.failures>0?`failed ${Z(e.failures,"time")}`:"delivering":`disabled${e.
disabled_reason===null?"":`: ${e.disabled_reason}`}`],["Behind",i===0?"nothing":Z(i,"event")],["Kinds",e.kinds.length===0?"all":e.kinds.join(", ")],["Node",e.node],
["Project",e.project],["Last success",e.last_success===null?null:t(fe,{at:e.last_success,ago:!0})],["Next attempt",e.next_attempt===null?null:`in ${Ee(new Date().
toISOString(),Date.parse(e.next_attempt))}`],["Last error",e.last_error===null?null:t("span",{class:"wrong",children:e.last_error})],["Sender",e.sender]]}),t("p",
{class:"row",children:[t(b,{small:!0,busy:r,why:ce(ae.value,"corten:webhook:test"),onClick:()=>{u()},children:"Test"}),t(b,{small:!0,onClick:n,children:"Dead le\
tters"}),t(b,{small:!0,kind:"quiet",why:ce(ae.value,"corten:webhook:update"),onClick:()=>{d()},children:e.enabled?"Disable":"Enable"})]})]})}function rd({webhook:e,
onClose:n}){let o=`/corten/v1/webhooks/${C(e.uuid)}`,r=O(`${o}/dead-letters`),s=async c=>{try{await j("POST",`${o}/replay`,c),F("They are delivered once more."),
r.reload()}catch(p){G("The replay was refused",p)}},a=ce(ae.value,"corten:webhook:replay"),[i,l]=g(""),u=/^\d*$/.test(i)?null:"A cursor is a whole number.",d=r.
data.value?.dead_letters.length??0;return t(de,{wide:!0,title:`Dead letters of ${e.description??e.url}`,onClose:n,foot:t(_,{children:[t(b,{onClick:n,children:"C\
lose"}),t(b,{kind:"main",why:a??(d===0?"there are none":null),onClick:()=>{s({dead_letters:!0})},children:"Deliver all again"})]}),children:[t(H,{doc:r,children:c=>c.
dead_letters.length===0?t(W,{title:"Everything was delivered",children:"Events that could not be delivered after all attempts are put aside here."}):t("div",{class:"\
scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",class:"num",children:"cursor"}),t("th",{scope:"c\
ol",children:"event"}),t("th",{scope:"col",class:"num",children:"attempts"}),t("th",{scope:"col",children:"why not"}),t("th",{scope:"col"})]})}),t("tbody",{children:c.
dead_letters.map(p=>t("tr",{children:[t("td",{class:"num",children:L(p.cursor)}),t("td",{children:[p.event.node_name??""," ",p.event.kind??""," ",p.event.text??
""]}),t("td",{class:"num",children:p.attempts}),t("td",{class:"wrong wrap",children:p.last_error}),t("td",{children:t(b,{small:!0,kind:"quiet",why:a??(p.replay?
"it is being delivered":null),onClick:()=>{s({dead_letter:p.cursor})},children:"Again"})})]},p.cursor))})]})})}),t("form",{class:"row replay",onSubmit:c=>{c.preventDefault(),
a===null&&u===null&&i!==""&&s({after:Number(i)})},children:[t(q,{label:"Deliver everything again that came after the cursor",error:u,hint:`It is at ${e.cursor} \
now. Receivers hear of the same events once more.`,children:(c,p)=>t("input",{id:c,class:"input input-number",inputMode:"numeric","aria-describedby":p,value:i,onInput:f=>l(
f.currentTarget.value.trim())})}),t(b,{type:"submit",why:a??u??(i===""?"a cursor is missing":null),children:"Replay"})]}),t(Pe,{label:"corten",text:`corten webh\
ook replay ${e.uuid} ${i===""?"--dead-letters":`--after ${i}`}`})]})}function sd(e){return/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function Ri(){let[e,n]=g(""),[o,r]=g([]),[s,a]=g(0),i=Y(null),l=()=>Nt.value=!1;D(()=>{let h=e.
trim();if(a(0),h===""){r([]);return}let k=new AbortController,x=window.setTimeout(()=>{ne(`/corten/v1/nodes?limit=8&q=${C(sd(h))}`,k.signal).then(T=>r(T.nodes),
()=>r([]))},120);return()=>{window.clearTimeout(x),k.abort()}},[e]);let u=e.trim().toLowerCase(),d=h=>u===""||h.toLowerCase().includes(u),c=Fe.value[0]==="nodes"?
Fe.value[1]:void 0,p=[...o.map(h=>({id:h.uuid,kind:"Node",label:h.name??h.uuid,row:h,run:()=>X(E(["nodes",h.name??h.uuid]))})),...c===void 0?[]:ht.filter(h=>d(h.
label)).map(h=>({id:`verb-${h.verb}`,kind:"Verb",label:`${h.label} ${c}`,run:()=>X(E(["nodes",c],{do:h.verb}))})),...Sr.filter(h=>d(h.label)).map(h=>({id:`scree\
n-${h.word}`,kind:"Screen",label:h.label,run:()=>X(E(h.word===""?[]:[h.word]))})),...st.value.filter(h=>d(h.name)).map(h=>({id:`view-${h.name}`,kind:"View",label:h.
name,run:()=>X(E(["nodes"],{q:h.q,sort:h.sort}))})),...u===""?[]:[{id:"search",kind:"Filter",label:`Nodes that match ${e.trim()}`,run:()=>X(E(["nodes"],{q:e.trim()}))}]],
f=Math.min(s,p.length-1),m=h=>{h!==void 0&&(l(),h.run())};return D(()=>{i.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({block:"nearest"})},[
f]),t(de,{title:"Find",onClose:l,class:"palette",children:[t("input",{class:"input palette-input",placeholder:"Name, MAC, address, screen or verb","aria-label":"\
Find",role:"combobox","aria-expanded":"true","aria-controls":"palette-list","aria-activedescendant":p[f]===void 0?void 0:`palette-${f}`,autofocus:!0,autocomplete:"\
off",spellcheck:!1,value:e,onInput:h=>n(h.currentTarget.value),onKeyDown:h=>{if(h.key==="ArrowDown")a(Math.min(f+1,p.length-1));else if(h.key==="ArrowUp")a(Math.
max(f-1,0));else if(h.key==="Enter")m(p[f]);else return;h.preventDefault()}}),t("ul",{class:"palette-list",role:"listbox",id:"palette-list","aria-label":"Found",
ref:i,children:p.map((h,k)=>t("li",{id:`palette-${k}`,role:"option","aria-selected":k===f,class:"palette-row",onMouseMove:()=>a(k),onClick:()=>m(h),children:[t(
"span",{class:"palette-kind",children:h.kind}),t("span",{class:"palette-label",children:h.label}),h.row!==void 0&&t(ft,{state:h.row.provision_state,maintenance:h.
row.maintenance})]},h.id))}),p.length===0&&t("p",{class:"faint palette-none",children:"Nothing has this in its name."})]})}function Li(){let[e,n]=g(),[o,r]=g("password"),[s,a]=g({user_domain:"Default",project_domain:"Default"}),[i,l]=g(null),[u,d]=g(!1);D(()=>{ne("/corten/v1/session").
then(n,()=>n({mode:"http_basic",is_signed_in:!1}))},[]);let c=(m,h,k="text",x=!1)=>t(q,{label:h,children:T=>t("input",{id:T,class:"input",type:k,name:m,autofocus:x,
autocomplete:k==="password"?"current-password":m==="username"?"username":"off",value:s[m]??"",onInput:y=>{let{value:v}=y.currentTarget;a(w=>({...w,[m]:v}))}})},
m),p=()=>{if(e?.mode!=="keystone"){let k={username:s.username,password:s.password},x=s.project??"";return e?.mode==="local"&&x!==""?{...k,project:x}:k}if(o==="t\
oken")return{token:s.token};if(o==="credential")return{application_credential:{id:s.id,secret:s.secret}};let m={username:s.username,password:s.password,user_domain:s.
user_domain},h=s.project??"";return h===""?{...m,system:!0}:{...m,project:h,project_domain:s.project_domain}},f=async()=>{d(!0),l(null);try{await $s(p())}catch(m){
l(m instanceof Te&&m.status===401?"Name or password is wrong.":m instanceof Error?m.message:String(m))}d(!1)};return t(de,{title:"Sign in to Corten",onClose:()=>{},
class:"signin",children:t("form",{class:"form",onSubmit:m=>{m.preventDefault(),f()},children:[e?.mode==="keystone"&&t("div",{class:"segmented",role:"radiogroup",
"aria-label":"Sign in by",children:["password","token","credential"].map(m=>t("label",{children:[t("input",{type:"radio",name:"way",checked:o===m,onChange:()=>r(
m)}),t("span",{children:m==="credential"?"application credential":m})]},m))}),(e?.mode!=="keystone"||o==="password")&&t(_,{children:[c("username","Name","text",
!0),c("password","Password","password")]}),e?.mode==="local"&&c("project","Project (empty: as your roles say)"),e?.mode==="keystone"&&o==="password"&&t("div",{class:"\
pair",children:[c("user_domain","Domain of the user"),c("project","Project (empty: the system)"),(s.project??"")!==""&&c("project_domain","Domain of the project")]}),
e?.mode==="keystone"&&o==="token"&&c("token","Token","password",!0),e?.mode==="keystone"&&o==="credential"&&t(_,{children:[c("id","Id","text",!0),c("secret","Se\
cret","password")]}),i!==null&&t("p",{class:"wrong",role:"alert",children:i}),t(b,{local:!0,kind:"main",type:"submit",busy:u,children:"Sign in"})]})})}var Cr=[{word:"",label:"Fleet",key:"f"},{word:"nodes",label:"Nodes",key:"n"},{word:"events",label:"Events",key:"e"},{word:"conductors",label:"Conductors",key:"c"},
{word:"allocations",label:"Allocations",key:"a"}],Tr=[{word:"batches",label:"Batches",about:"one verb over many machines, in waves"},{word:"enrol",label:"Enrol \
machines",about:"tell the service of one machine, or of a table of them"},{word:"templates",label:"Deploy templates",about:"steps that deployments have for a tr\
ait"},{word:"runbooks",label:"Runbooks",about:"steps for cleaning and servicing, under a name"},{word:"rules",label:"Inspection rules",about:"what is done about\
 what inspection finds"},{word:"images",label:"Images",about:"images under names, and what is cached"},{word:"boot",label:"Boot services",about:"networks, lease\
s, machines that boot from here"},{word:"webhooks",label:"Webhooks",about:"addresses that events are posted to"},{word:"settings",label:"Settings",about:"the co\
nfiguration, and where each value is from"},{word:"shadow",label:"Shadow",about:"how answers compare with those of an Ironic"}],Sr=[...Cr,...Tr,{word:"me",label:"\
Me and my rules"}];function Di({children:e}){let n=Fe.value[0]??"";D(()=>(document.addEventListener("keydown",rr),document.addEventListener("click",Uo),()=>{document.
removeEventListener("keydown",rr),document.removeEventListener("click",Uo)}),[]);let o=Fe.value.join("/");D(()=>{let a=Sr.find(i=>i.word===n);Fe.value[1]===void 0&&
(document.title=a===void 0?"Corten":`${a.label} \xB7 Corten`),document.querySelector(".nav-link[aria-current]")?.scrollIntoView({block:"nearest",inline:"nearest"}),
document.activeElement===document.body&&document.getElementById("main")?.focus({preventScroll:!0})},[o]),Be([...Cr.map(a=>({keys:`g ${a.key}`,about:`go to ${a.label.
toLowerCase()}`,run:()=>X(E(a.word===""?[]:[a.word]))})),{keys:"?",about:"show these keys",run:()=>wn.value=!0}]);let r=Tr.find(a=>a.word===n),s=xe.value==="los\
t";return t(_,{children:[t("a",{class:"skip",href:"#main",children:"Skip to content"}),t("header",{class:"bar",children:[t("a",{class:"brand",href:E([]),children:[
t("span",{class:"brand-mark","aria-hidden":"true",children:[t("i",{}),t("i",{}),t("i",{})]}),"Corten"]}),t("div",{class:"nav-row",children:[t("nav",{class:"nav",
"aria-label":"Screens",children:Cr.map(a=>t("a",{class:"nav-link",href:E(a.word===""?[]:[a.word]),"aria-current":n===a.word?"page":void 0,children:a.label},a.word))}),
t(Ze,{kind:r===void 0?"quiet":"here",right:!0,name:r===void 0?"More screens":`${r.label}: more screens`,label:r?.label??"More",choices:Tr.map(a=>({label:a.label,
about:a.about,onPick:()=>X(E([a.word]))}))})]}),t("div",{class:"bar-end",children:[t("button",{type:"button",class:"button button-quiet find",onClick:()=>Nt.value=
!0,children:[t(A,{name:"search"})," ",t("span",{class:"find-word",children:"Find"})," ",t("kbd",{children:"Ctrl K"})]}),t(ad,{}),t(ld,{})]})]}),ae.value?.mode===
"noauth"&&t("p",{class:"banner",children:[t(A,{name:"lock"})," No sign-in is set up: everybody who reaches this service may do everything."]}),s&&t(id,{}),t("ma\
in",{id:"main",class:s?"main main-stale":"main",tabIndex:-1,children:e}),t(vs,{}),Nt.value&&t(Ri,{}),wn.value&&t(ud,{}),pt.value&&t(Li,{})]})}function ad(){let e={
connecting:"connecting",live:"live",lost:"connection lost",paused:"paused"};return t("span",{class:`live live-${xe.value}`,title:e[xe.value],children:[t("span",
{class:"live-dot","aria-hidden":"true"}),t("span",{class:"live-word",children:e[xe.value]})]})}function id(){let e=(Ge.value-hn.value)/1e3;return t("div",{class:"\
lost",role:"alert",children:[t(A,{name:"warn"}),t("span",{children:["The service does not answer. What you see is from"," ",t("time",{dateTime:new Date(hn.value).
toISOString(),title:$t(new Date(hn.value).toISOString()),children:[he(e)," ago"]}),"."]}),t(b,{small:!0,onClick:Jn,children:"Try now"})]})}function ld(){let e=ae.
value,n=[{label:"Me and my rules",onPick:()=>X(E(["me"]))},{label:"Light",checked:rt.value==="light",onPick:()=>zt("light")},{label:"Dark",checked:rt.value==="d\
ark",onPick:()=>zt("dark")},{label:"As the system",checked:rt.value==="system",onPick:()=>zt("system")},{label:"Letters are keys",checked:Ye.value,onPick:()=>Ye.
value=!Ye.value},{label:"Keyboard",onPick:()=>wn.value=!0},...e!==void 0&&e.mode!=="noauth"?[{label:"Sign out",onPick:()=>{Ss().catch(r=>G("Signing out failed",
r))}}]:[]],o=Yn(e);return t(Ze,{kind:"quiet",right:!0,name:o===""?"Menu":`Menu of ${o}`,label:t("span",{class:"who",children:o===""?"Menu":o}),choices:n})}var cd=[
["Ctrl K","find a node, a screen or a command"],["Esc","close, then clear"]];function ud(){let e=new Map(cd);for(let n of or())e.set(n.keys===" "?"Space":n.keys,
n.about);return t(de,{title:"Keys of this screen",onClose:()=>wn.value=!1,children:[t("dl",{class:"keys",children:[...e].map(([n,o])=>t("div",{class:"keys-row",
children:[t("dt",{children:n.split(" ").map(r=>t("kbd",{children:r},r))}),t("dd",{children:o})]},n))}),!Ye.value&&t("p",{class:"faint",children:"Single letters \
are switched off; the menu switches them on."})]})}function dd(){let[e,n]=Fe.value;switch(e){case void 0:return t(ha,{});case"nodes":return n===void 0?t(Qa,{}):t(Ha,{ident:n},n);case"batches":return n===void 0?t(
Fs,{}):t(js,{uuid:n},n);case"events":return t(ra,{});case"conductors":return t(Hs,{});case"allocations":return t(Ps,{});case"enrol":return t(Zs,{});case"templat\
es":return t(xi,{});case"runbooks":return t($i,{});case"rules":return t(Si,{});case"images":return t(Ti,{});case"boot":return t(Ns,{});case"settings":return t(Ai,
{});case"shadow":return t(Ni,{});case"webhooks":return t(Oi,{});case"me":return t(ga,{});default:return t(Ei,{})}}function pd(){return t(Di,{children:t(Un,{children:t(
dd,{})},Fe.value.join("/"))})}var Ii=document.getElementById("app");Ii!==null&&Hr(t(pd,{}),Ii);zn();ks();
