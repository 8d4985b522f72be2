var V,rr,Vn,Ge,Jn,vn,sr,hn,ar,Gn,Kn,Ra,jt=Symbol.for("pv"),bn={},yn=[],La=/^m(i|n|o|s|text|space)$/,zn=Array.isArray,Yn=yn.slice,ut=Object.assign;function ct(e){
e&&e.parentNode&&e.remove()}function _n(e,n,o){var r,s,a,i={},l=arguments.length;for(a in n)a=="key"?r=n[a]:a=="ref"&&typeof e!="function"?s=n[a]:i[a]=n[a];return l>
2&&(i.children=l>3?Yn.call(arguments,2):o),Wt(e,i,r,s,null)}function Wt(e,n,o,r,s){var a={type:e,props:n,key:o,ref:r,__k:null,__:null,__b:0,__e:null,__c:null,constructor:jt,__v:s||++rr,__i:-1,__u:0};return!s&&V.vnode&&V.
vnode(a),a}function S(e){return e.children}function ze(e,n){this.props=e,this.context=n,this.__g=0}function Ye(e,n){if(n==null)return e.__&&Ye(e.__,e.__i+1);for(var o;n<e.
__k.length;n++)if((o=e.__k[n])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:Ye(e)}function Da(e){var n,o=e.__v,r=o.__e,s=[],a=[],i=e.__P;
i&&((n=ut({constructor:jt},o)).__v=o.__v+1,V.vnode&&V.vnode(n),Qn(i,n,o,e.__n,i.namespaceURI,32&o.__u?[r]:null,s,r||Ye(o),32&o.__u,a),n.__v=o.__v,n.__.__k[n.__i]=
n,pr(s,n,a),o.__=o.__e=null,n.__e!=r&&ir(n))}function ir(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),
ir(e)}function nr(e){(8&e.__g||(e.__g|=8,Ge.push(e),vn++))&&Jn==V.debounceRendering||((Jn=V.debounceRendering)||queueMicrotask)(lr)}function lr(){try{for(var e,
n=1;Ge.length;)Ge.length>n&&Ge.sort(sr),e=Ge.shift(),n=Ge.length,8&e.__g&&Da(e)}finally{(vn=Ge.length)&&(Jn||queueMicrotask)(lr)}}function cr(e,n,o,r,s,a,i,l,c,d,u){
var m,h,p,f,k,C,x=r.__k||yn,b=n.length;for(c=Ba(o,n,x,c,b),m=0;m<b;m++)(p=o.__k[m])!=null&&(h=~p.__i&&x[p.__i]||bn,p.__i=m,C=Qn(e,p,h,s,a,i,l,c,d,u),f=p.__e,(h.
ref!=p.ref||8&h.__u)&&(h.ref&&Zn(h.ref,null,p,h),p.ref&&u.push(p.ref,p.__c||f,p)),k=k||f,4&p.__u?(c=ur(p,c,e,!h.__v),h.__e&&(h.__e=null)):typeof p.type=="functi\
on"&&C!==void 0?c=C:f&&(c=f.nextSibling),p.__u&=-21);return o.__e=k,c}function Ba(e,n,o,r,s){var a,i,l,c,d,u,m,h,p,f=o.length,k=f,C=0,x=0,b=e.__k=Array(s);for(a=
0;a<s;a++)(i=n[a])!=null&&typeof i!="boolean"&&typeof i!="function"?(typeof i!="object"||i.constructor===String?i=b[a]=Wt(null,i):zn(i)?i=b[a]=Wt(S,{children:i}):
i.constructor===jt&&i.__b?i=b[a]=Wt(i.type,i.props,i.key,i.ref,i.__v):b[a]=i,c=a+C,i.__=e,i.__b=e.__b+1,l=null,~(d=i.__i=Oa(i,o,c,k))&&(k--,(l=o[d])&&(l.__u|=2)),
l&&l.__v?(i.__u|=16,d==c-1?C--:d==c+1?C++:d!=c&&(d>c?C--:C++,x=1)):(~d||(s>f?C--:s<f&&C++),typeof i.type!="function"&&(i.__u|=4))):b[a]=null;if(x){for(u=[],m=[],
a=0;a<s;a++)if((i=b[a])&&16&i.__u){for(C=0,h=u.length;C<h;)u[p=C+h>>1]<i.__i?C=p+1:h=p;u[C]=i.__i,m[a]=C+1}for(C=u.length;a--;)m[a]&&(m[a]==C?C--:b[a].__u|=4)}if(k)
for(a=0;a<f;a++)!(l=o[a])||2&l.__u||(l.__e==r&&(r=Ye(l)),Xn(l,l));return r}function ur(e,n,o,r){var s,a,i,l;if(typeof e.type=="function"){if(e.props.__P)return n;
if(s=e.__k)for(a=0;a<s.length;a++)s[a]&&(s[a].__=e,n=ur(s[a],n,o,!1));return n}for(n&&!n.parentNode&&(n=Ye(e))&&!n.parentNode&&(n=null),i=e.__e,l=n;l&&l.nodeType==
8;)l=l.nextSibling;for(i!=l&&(!r&&o.moveBefore&&i.parentNode?o.moveBefore(i,n):o.insertBefore(i,n||null)),n=i;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith(
"$s"););return n}function Oa(e,n,o,r){var s,a=e.key,i=e.type,l=n[o],c=l&&!(2&l.__u);if(l===null&&a==null||c&&a==l.key&&i==l.type)return o;if(r>(c?1:0)){for(s=o-1;s>=0;s--)if((l=
n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s;for(s=o+1;s<n.length;s++)if((l=n[s])&&!(2&l.__u)&&a==l.key&&i==l.type)return s}return-1}function or(e,n,o){o==null&&
(o=""),n[0]=="-"?e.setProperty(n,o):e[n]=o}function mn(e,n,o,r,s){var a,i;if(n=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof r=="string"&&(e.style.
cssText=r=""),r)for(n in r)o&&n in o||or(e.style,n);if(o)for(n in o)r&&o[n]==r[n]||or(e.style,n,o[n])}else if(n[0]=="o"&&n[1]=="n")typeof o!="function"&&(o=null),
typeof r!="function"&&(r=null),(e.__e||(e.__e={}))[n]=o,o&&r||(i=Kn[n]||(Kn[n]=Ia(n)),(e.__a||(e.__a={}))[n]=Gn,a=n!=(n=n.replace(ar,"$1")),(n=n.slice(2))[0]<"a"&&
(n=n.toLowerCase()),o?e.addEventListener(n,i,a):e.removeEventListener(n,i,a));else{if(s=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)
try{return void(e[n]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&o==1?"":o)}}function Ia(e){
return function(n){var o=this.__e;if(o){if(o=o[e],n[hn]==null)n[hn]=Gn++;else if(n[hn]<this.__a[e])return;return o(V.event?V.event(n):n)}}}function Qn(e,n,o,r,s,a,i,l,c,d){
var u,m,h,p,f,k,C,x,b,v,_,q,y,B,T,j,E,Y,ne=n.type;if(n.constructor!==jt)return null;128&o.__u&&(c=32&o.__u,u=o.__c.__z)&&(n.__u|=c,m=a=[],u.nodeType==8?l=gn(u,a):
a.push(u),l=a[0]||l),(u=V.__b)&&u(n);e:if(typeof ne=="function"){h=i.length;try{if(x=n.props,b=(u=ne.prototype)&&u.render,v=(u=ne.contextType)&&r[u.__c],_=u?v?v.
props.value:u.__:r,(p=o.__c)?(n.__c=p,2&p.__g&&(p.__g|=1)):(b?n.__c=p=new ne(x,_):(n.__c=p=new ze(x,_),p.constructor=ne,p.render=Fa),v&&v.sub(p),p.state||(p.state=
{}),p.__n=r,p.__g|=8,p.__h=[],p.__k=[]),b&&(p.__s||(p.__s=p.state),ne.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=ut({},p.__s)),ut(p.__s,ne.getDerivedStateFromProps(
x,p.__s)))),f=p.props,k=p.state,p.__v=n,o.__c){if(x!==f&&b&&!ne.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(x,_),n.__v==o.
__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(x,p.__s,_)===!1){n.__v!=o.__v&&(p.props=x,p.state=p.__s,p.__g&=-9),n.__e=o.__e,n.__k=
o.__k,n.__k.some(function(A){A&&(A.__=n)}),yn.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&i.push(p),l=Ye(o);break e}p.componentWillUpdate&&p.componentWillUpdate(
x,p.__s,_),b&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(f,k,C)})}else b&&!ne.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),
b&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=_,p.props=x,p.__P=e,p.__g&=-5,q=V.__r,y=b?25:0;do p.__g&=-9,q&&q(n),u=p.render(p.props,p.state=
p.__s,p.context);while(8&p.__g&&++y<25);b&&(yn.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(r=ut({},r,p.getChildContext())),b&&o.__c&&p.getSnapshotBeforeUpdate&&
(C=p.getSnapshotBeforeUpdate(f,k)),B=u&&u.type===S&&u.key==null?u.props.children:u,x.__P&&(u=l,s=(e=x.__P).namespaceURI,c=a=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(A){A&&Xn(A,A)}),o.__k=null),l=o.__k?Ye(o,0):null),l=cr(e,zn(B)?B:[B],n,o,r,s,a,i,l,c,d),x.__P&&(n.__e=null,l=u),n.__u&=-161,m&&m.some(ct),p.__h.length&&
i.push(p),1&p.__g&&(p.__g&=-4)}catch(A){if(i.length=h,n.__v=null,c||a)if(A&&A.then){if(n.__u|=128|c,a){for(~(E=a.indexOf(l||void 0))||(E=a.length);(Y=a[E-1])&&Y.
nodeType==8;)E--;for(;E<a.length;E++)if(Y=a[E])if(a[E]=null,T){if(Y==j)break}else{if(Y.nodeType!=8)break;Y.data.startsWith("$s")&&(j=gn(T=Y))}}if(!T){for(;l&&l.
nodeType==8&&l.nextSibling;)l=l.nextSibling;T=l}(u=gn(T=n.__c.__z||(n.__c.__z=T)))?(n.__e=T,l=u):n.__e=l,l=l&&l.nextSibling}else a&&a.some(ct);else n.__e=o.__e;
n.__k||(n.__k=o.__k||[]),A&&A.then||dr(n),V.__e(A,n,o)}}else l=n.__e=qa(o.__e,n,o,r,s,a,i,c,d,e);return(u=V.diffed)&&u(n),l}function gn(e,n){if(e&&e.nodeType==8&&
e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)return e}n&&n.push(
e)}}function dr(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(dr))}function pr(e,n,o){for(var r=0;r<o.length;)Zn(o[r++],o[r++],o[r++]);V.__c&&V.__c(n,e),e.some(
function(s){try{e=s.__h,s.__h=[],e.some(function(a){a.call(s)})}catch(a){V.__e(a,s.__v)}})}function qa(e,n,o,r,s,a,i,l,c,d){var u,m,h,p,f,k,C,x,b=o.props||bn,v=n.
props,_=n.type;if(_=="svg"?s="http://www.w3.org/2000/svg":_=="math"?s="http://www.w3.org/1998/Math/MathML":s||(s="http://www.w3.org/1999/xhtml"),a){for(u=0;u<a.
length;u++)if((f=a[u])&&(_?f.localName==_:f.nodeType==3)){e=f,a[u]=null;break}}if(!e){if(x=d.ownerDocument||document,!_)return x.createTextNode(v);e=x.createElementNS(
s,_,v.is?v:d),l&&(V.__m&&V.__m(n,a),l=!1),a=null}if(_){if(d=_=="template"&&e.content||e,a=_=="textarea"&&v.defaultValue!=null?null:a&&Yn.call(d.childNodes),!l&&
a)for(b={},u=0;u<e.attributes.length;u++)b[(f=e.attributes[u]).name]=f.value;for(u in b)f=b[u],u=="dangerouslySetInnerHTML"?h=f:u=="children"||u in v||u=="value"&&
"defaultValue"in v||u=="checked"&&"defaultChecked"in v||mn(e,u,null,f,s);for(u in v)f=v[u],u=="children"?p=f:u=="dangerouslySetInnerHTML"?m=f:u=="value"?k=f:u==
"checked"?C=f:l&&typeof f!="function"||b[u]===f||mn(e,u,f,b[u],s);m?(l||h&&(m.__html==h.__html||m.__html==e.innerHTML)||(e.innerHTML=m.__html),n.__k=[]):(h&&(e.
textContent=""),(_=="foreignObject"||s=="http://www.w3.org/1998/Math/MathML"&&La.test(_))&&(s="http://www.w3.org/1999/xhtml"),cr(d,zn(p)?p:[p],n,o,r,s,a,i,a?a[0]:
o.__k&&Ye(o,0),l,c),a&&a.some(ct)),l&&_!="textarea"||(u="value",_=="progress"&&k==null?e.removeAttribute(u):k==null||k===e[u]&&(_!="progress"||k)||mn(e,u,k,b[u],
s),u="checked",C!=null&&C!=e[u]&&mn(e,u,C,b[u],s))}else b===v||l&&e.data==v||(e.data=v);return e}function Zn(e,n,o,r){try{typeof e=="function"?n?n.__x=e(n)||1:r&&
(r=r.__c||r.__e)&&(n=r.__x)&&(r.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(s){V.__e(s,o)}}function Xn(e,n,o){var r,s,a,i;if(V.unmount&&V.unmount(
e),!(r=e.ref)||r.current&&r.current!=e.__e||Zn(r,null,n,e),r=e.__c){if(r.componentWillUnmount)try{r.componentWillUnmount()}catch(l){V.__e(l,n)}r.__P=r.__n=null}
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&Xn(r[i],n,typeof e.type!="function"||o&&!e.props.__P);!o&&(r=e.__c)&&(r=r.__z)&&(s=gn(r,a=[]))&&(r==e.__e&&a.some(ct),ct(
s),ct(r)),o||ct(e.__e),e.__e=e.__c=e.__=null}function Fa(e,n,o){return this.constructor(e,o)}function fr(e,n){var o,r,s,a;V.__&&V.__(e,n),n.nodeType==9&&(n=n.documentElement),
r=(o=e&&32&e.__u)?null:n.__k,n.__k=Wt(S,{children:[e]}),s=[],a=[],Qn(n,n.__k,r||bn,bn,n.namespaceURI,r?null:n.firstChild?Yn.call(n.childNodes):null,s,r?r.__e:n.
firstChild,o,a),pr(s,n.__k,a),n.__k.props.children=null}V={__e:function(e,n,o,r){for(var s,a,i;n=n.__;)if((s=n.__c)&&!(1&s.__g)){s.__g|=4;try{if((i=(a=s.constructor)&&a.getDerivedStateFromError)&&s.setState(a.getDerivedStateFromError(
e)),s.componentDidCatch&&(s.componentDidCatch(e,r||{}),i=1),i&&8&s.__g)return void(s.__g|=2)}catch(l){e=l}}throw vn=0,e}},rr=0,Vn=function(e){return e!=null&&e.
constructor===jt},ze.prototype.setState=function(e,n){var o=this.__s;o&&o!=this.state||(o=this.__s=ut({},this.state)),typeof e=="function"&&(e=e(ut({},o),this.props)),
e&&(ut(o,e),this.__v&&(n&&this.__k.push(n),nr(this)))},ze.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),nr(this))},ze.prototype.render=
S,Ge=[],vn=0,sr=function(e,n){return e.__v.__b-n.__v.__b},hn=Symbol(),ar=/(PointerCapture)$|Capture$/i,Gn=0,Kn={},Ra=0;var dt,me,eo,mr,to=Object.is,wn=0,xr=[],no=[],fe=V,hr=fe.__b,gr=fe.__r,vr=fe.diffed,br=fe.__c,yr=fe.unmount,_r=fe.__;function Ht(e,n){fe.__h&&fe.__h(me,e,wn||n),
wn=0;var o=me.__H||(me.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function g(e){return wn=1,Wa(Sr,e)}function Wa(e,n,o){var r=Ht(dt++,2);if(r.
t=e,!r.__c&&(r.__=[o?o(n):Sr(void 0,n),function(a){var i=(r.__N||r.__)[0],l=r.t(i,a);to(i,l)||(r.__N=[l,r.__[1]],r.__c.setState({}))}],r.__c=me,!me.__f)){me.__f=
!0;var s=me.shouldComponentUpdate;me.shouldComponentUpdate=function(a,i,l){var c=this.__H;if(!c)return!0;var d=!1,u=this.props!=a;if(c.__.some(function(h){h.__N&&
(d=!0,to(h.__[0],h.__N[0])||(u=!0))}),s){var m=s.call(this,a,i,l);return d?m||u:m}return!d||u}}return r.__}function L(e,n){var o=Ht(dt++,3);!fe.__s&&ro(o.__H,n)&&
(o.__P=!0,o.__=e,o.u=n,me.__H.__h.push(o))}function pt(e,n){var o=Ht(dt++,4);!fe.__s&&ro(o.__H,n)&&(o.__P=!1,o.__=e,o.u=n,me.__h.push(o))}function J(e){return wn=
5,Qe(function(){return{current:e}},[])}function Qe(e,n){var o=Ht(dt++,7);return ro(o.__H,n)&&(o.__=e(),o.__H=n),o.__}function ft(){var e=Ht(dt++,11);if(!e.__){for(var n=me.__v;!n.__m&&n.__;)n=n.__;var o=n.__m||(n.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function ja(){var e;
do{for(;e=no.shift();)try{Ut(e)}catch(o){fe.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=xr.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(Ut),n.__h.some(oo),n.__h=[]}catch(o){
n.__h=[],fe.__e(o,e.__v)}}}while(no.length)}fe.__b=function(e){me=null,hr&&hr(e)},fe.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),_r&&_r(e,n)},fe.__r=
function(e){gr&&gr(e),dt=0;var n=(me=e.__c).__H;n&&(eo==me?me.__h=[]:(n.__h.some(Ut),n.__h.some(oo),dt=0),n.__h=[],n.__.some(function(o){o.__N&&(o.__=o.__N),o.u=
o.__N=void 0})),eo=me},fe.diffed=function(e){vr&&vr(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&kr(xr.push(n)),n.__H.__.some(function(o){o.u&&(o.__H=o.u)})),eo=
me=null},fe.__c=function(e,n){n.some(function(o){try{o.__h.some(Ut),o.__h=o.__h.filter(function(r){return!r.__||oo(r)})}catch(r){o.__h=[function(){throw r}]}}),
br&&br(e,n)},fe.unmount=function(e){yr&&yr(e);var n,o,r=e.__c;r&&r.__H&&(r.__H.__.some(function(s){try{if(s.__P&&s.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.
__c.__P);)o=o.__;o=o&&o.__c}s.__P=o,kr(no.push(s))}else Ut(s)}catch(a){n=a}}),r.__H=void 0,n&&fe.__e(n,r.__v))};var wr=typeof requestAnimationFrame=="function";
function Ua(e){var n,o=function(){clearTimeout(r),wr&&cancelAnimationFrame(n),setTimeout(e)},r=setTimeout(o,35);wr&&(n=requestAnimationFrame(o))}function kr(e){
e!=1&&mr==fe.requestAnimationFrame||((mr=fe.requestAnimationFrame)||Ua)(ja)}function Ut(e){var n=me,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),me=n}function oo(e){
var n=me;e.__c=e.__(),me=n}function ro(e,n){return!e||e.length!=n.length||n.some(function(o,r){return!to(o,e[r])})}function Sr(e,n){return typeof n=="function"?
n(e):n}var Ha=Symbol.for("preact-signals");function Cn(){if(Fe>1)Fe--;else{var e,n=!1;for((function(){var s=xn;for(xn=void 0;s!==void 0;){var a=s.S;if(a.v===s.v)for(var i=a.
t;i!==void 0;i=i.x)i.i===s.i&&(i.i=a.i);s=s.o}})();Kt!==void 0;){var o=Kt;for(Kt=void 0,kn++;o!==void 0;){var r=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&Tr(o))try{o.
c()}catch(s){n||(e=s,n=!0)}o=r}}if(kn=0,Fe--,n)throw e}}function Ct(e){if(Fe>0)return e();so=++Ja,Fe++;try{return e()}finally{Cn()}}var Jt,ae=void 0;function Vt(e){
var n=ae,o=Jt;ae=void 0,Jt=void 0;try{return e()}finally{ae=n,Jt=o}}var Kt=void 0,Fe=0,kn=0,Ja=0,so=0,xn=void 0,Sn=0;function Cr(e){if(ae!==void 0){var n=e.n;if(n===
void 0||n.t!==ae)return n={i:0,S:e,p:ae.s,n:void 0,t:ae,e:void 0,x:void 0,r:n},ae.s!==void 0&&(ae.s.n=n),ae.s=n,e.n=n,32&ae.f&&e.S(n),n;if(n.i===-1)return n.i=0,
n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=ae.s,n.n=void 0,ae.s.n=n,ae.s=n),n}}function be(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=
0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}be.prototype.brand=Ha;be.prototype.h=function(){return!0};be.prototype.S=function(e){var n=this,o=this.
t;o!==e&&e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:Vt(function(){var r;(r=n.W)==null||r.call(n)}))};be.prototype.U=function(e){var n=this;if(this.t!==void 0){
var o=e.e,r=e.x;o!==void 0&&(o.x=r,e.e=void 0),r!==void 0&&(r.e=o,e.x=void 0),e===this.t&&(this.t=r,r===void 0&&Vt(function(){var s;(s=n.Z)==null||s.call(n)}))}};
be.prototype.subscribe=function(e){var n=this;return Be(function(){var o=n.value;Vt(function(){return e(o)})},{name:"sub"})};be.prototype.valueOf=function(){return this.
value};be.prototype.toString=function(){return this.value+""};be.prototype.toJSON=function(){return this.value};be.prototype.peek=function(){var e=this;return Vt(
function(){return e.value})};Object.defineProperty(be.prototype,"value",{get:function(){var e=Cr(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==
this.v){if(kn>100)throw new Error("Cycle detected");(function(o){Fe!==0&&kn===0&&o.l!==so&&(o.l=so,xn={S:o,v:o.v,i:o.i,o:xn})})(this),this.v=e,this.i++,Sn++,Fe++;
try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{Cn()}}}});function F(e,n){return new be(e,n)}function Tr(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||
!n.S.h()||n.S.i!==n.i)return!0;return!1}function $r(e){for(var n=e.s;n!==void 0;n=n.n){var o=n.S.n;if(o!==void 0&&(n.r=o),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}
function Er(e){for(var n=e.s,o=void 0;n!==void 0;){var r=n.p;n.i===-1?(n.S.U(n),r!==void 0&&(r.n=n.n),n.n!==void 0&&(n.n.p=r)):o=n,n.S.n=n.r,n.r!==void 0&&(n.r=
void 0),n=r}e.s=o}function mt(e,n){be.call(this,void 0,n),this.x=e,this.s=void 0,this.g=Sn-1,this.f=4}mt.prototype=new be;mt.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===Sn))return!0;if(this.g=Sn,this.f|=1,this.i>0&&!Tr(this))return this.f&=-2,!0;var e=ae;try{$r(this),ae=
this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return ae=e,Er(this),this.f&=-2,!0};
mt.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}be.prototype.S.call(this,e)};mt.prototype.U=function(e){if(this.
t!==void 0&&(be.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};mt.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(mt.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Cr(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function ht(e,n){return new mt(e,n)}function Mr(e){var n=e.j;if(e.j=void 0,typeof n==
"function"){Fe++;var o=ae;ae=void 0;try{n()}catch(r){throw e.f&=-2,e.f|=8,ao(e),r}finally{ae=o,Cn()}}}function ao(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=
void 0,e.s=void 0,Mr(e)}function Ka(e){if(ae!==this)throw new Error("Out-of-order effect");Er(this),ae=e,this.f&=-2;try{8&this.f&&ao(this)}finally{Cn()}}function Tt(e,n){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,Jt&&Jt.push(this)}Tt.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};Tt.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,Mr(this),$r(this),Fe++;var e=ae;return ae=this,Ka.bind(this,e)};Tt.prototype.N=function(){2&this.f||(this.f|=2,this.u=Kt,Kt=this)};Tt.prototype.d=function(){
this.f|=8,1&this.f||ao(this)};Tt.prototype.dispose=function(){this.d()};function Be(e,n){var o=new Tt(e,n);try{o.c()}catch(s){throw o.d(),s}var r=o.d.bind(o);return r[Symbol.
dispose]=r,r}var io,zt,Tn,Va=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,Pr=[],Ar=[];Be(function(){io=this.N})();function $t(e,n){V[e]=n.bind(null,V[e]||function(){})}
function Gt(e){if(Tn){var n=Tn;Tn=void 0,n()}Tn=e&&e.S()}function Nr(e){var n=this,o=e.data,r=Et(o);r.name="ReactiveDom",r.value=o;var s=Qe(function(){for(var l=n,
c=n.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var d=ht(function(){var p=r.value.value;return p===0?0:p===!0?"":p||""}),u=ht(function(){return!Array.isArray(d.value)&&
!Vn(d.value)}),m=Be(function(){if(this.N=Rr,u.value){var p=d.value;l.__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=p)}}),h=n.__$u.d;return n.__$u.d=function(){
m(),h.call(this)},[u,d]},[]),a=s[0],i=s[1];return a.value?i.peek():i.value}Nr.displayName="ReactiveTextNode";Object.defineProperties(be.prototype,{constructor:{
configurable:!0,value:_n(S,null).constructor},type:{configurable:!0,value:Nr},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.
value}}}}},__b:{configurable:!0,value:1}});$t("__b",function(e,n){if(Gt(),zt=void 0,typeof n.type=="string"){var o,r=n.props;for(var s in r)if(s!=="children"){var a=r[s];
a instanceof be&&(o||(n.__np=o={}),o[s]=a,r[s]=a.peek())}}e(n)});$t("__r",function(e,n){if(e(n),n.type!==S){Gt();var o,r=n.__c;r&&(r.__$f&=-2,(o=r.__$u)===void 0&&
(r.__$u=o=(function(s,a){var i;return Be(function(){i=this},{name:a}),i.c=s,i})((function(s){return function(){var a;Va&&((a=this.y)==null||a.call(this)),s.__$f|=
1,s.setState({})}})(r),typeof n.type=="function"?n.type.displayName||n.type.name:""))),zt=r,Gt(o)}});$t("__e",function(e,n,o,r){Gt(),zt=void 0,e(n,o,r)});$t("di\
ffed",function(e,n){Gt(),zt=void 0;var o;if(typeof n.type=="string"&&(o=n.__e)){var r=n.__np,s=n.props,a=o.U;if(a)for(var i in a){var l=a[i];l===void 0||r&&i in
r||(l.d(),a[i]=void 0)}if(r){a||(a={},o.U=a);for(var c in r){var d=a[c],u=r[c];d===void 0?(d=Ga(o,c,u,s),a[c]=d):d.o(u,s)}}}e(n)});function Ga(e,n,o,r){var s=n in
e&&e.ownerSVGElement===void 0,a=F(o);return{o:function(i,l){a.value=i,r=l},d:Be(function(){this.N=Rr;var i=a.value.value;r[n]!==i&&(r[n]=i,s?e[n]=i:i!=null&&(i!==
!1||n[4]==="-")?e.setAttribute(n,i):e.removeAttribute(n))})}}$t("unmount",function(e,n){if(typeof n.type=="string"){var o=n.__e;if(o){var r=o.U;if(r){o.U=void 0;
for(var s in r){var a=r[s];a&&a.d()}}}var i=n.__np;if(i){var l=n.props;for(var c in i)l[c]=i[c]}n.__np=void 0}else{var d=n.__c;if(d){d.__$f|=8;var u=d.__$u;u&&(d.
__$u=void 0,u.d())}}e(n)});$t("__h",function(e,n,o,r){r<3&&(n.__$f|=2),e(n,o,r)});ze.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var o=this.
__$u,r=o&&o.s!==void 0;for(var s in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var a=2&this.__$f;if(!(r||a||4&this.__$f)||1&this.__$f)return!0}else if(!(r||
4&this.__$f)||3&this.__$f)return!0;for(var i in e)if(i!=="__source"&&e[i]!==this.props[i])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Et(e,n){
return Qe(function(){return F(e,n)},[])}var za=typeof requestAnimationFrame>"u"?setTimeout:function(e){var n=function(){clearTimeout(o),cancelAnimationFrame(r),e()},o=setTimeout(n,35),r=requestAnimationFrame(
n)},Ya=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Qa(){Ct(function(){for(var e;e=Pr.shift();)io.call(e)})}function Za(){Pr.push(this)===
1&&(V.requestAnimationFrame||za)(Qa)}function Xa(){Ct(function(){for(var e;e=Ar.shift();)io.call(e)})}function Rr(){Ar.push(this)===1&&(V.requestAnimationFrame||
Ya)(Xa)}function Lr(e,n){var o=J(e);o.current=e;var r=zt;L(function(){return Be(function(){if(this.N=Za,!(r&&8&r.__$f))return o.current()},n)},[])}var gt=F(Date.now());window.setInterval(()=>{document.hidden||(gt.value=Date.now())},1e3);var Dr=[["d",86400],["h",3600],["min",60],["s",1]];function _e(e){if(!Number.
isFinite(e))return"\u2013";if(e<1)return"0 s";let n=Math.floor(e);for(let[o,[r,s]]of Dr.entries()){if(n<s)continue;let a=Math.floor(n/s),i=Dr[o+1],l=i===void 0?
0:Math.floor(n%s/i[1]);return i===void 0||a>=10||l===0?`${a} ${r}`:`${a} ${r} ${l} ${i[0]}`}return"0 s"}function xe(e,n=gt.value){return e==null?"\u2013":_e(Math.
max(0,(n-Date.parse(e))/1e3))}function vt(e){if(e==null)return"";let n=new Date(e);return Number.isNaN(n.getTime())?e:n.toISOString().replace("T"," ").replace(/\.\d+Z$/,
" UTC")}function Or(e){if(e==null)return"\u2013";let n=new Date(e),o=new Date(gt.value),r=i=>String(i).padStart(2,"0"),s=`${r(n.getHours())}:${r(n.getMinutes())}`;
return n.toDateString()===o.toDateString()?s:`${n.getFullYear()}-${r(n.getMonth()+1)}-${r(n.getDate())} ${s}`}var Br=["B","KB","MB","GB","TB","PB"];function Ne(e){
if(e==null)return"\u2013";let n=e,o=0;for(;n>=1e3&&o<Br.length-1;)n/=1e3,o+=1;return`${o===0||n>=100?Math.round(n):n.toFixed(1)} ${Br[o]}`}var ei=new Intl.NumberFormat(
"en");function I(e){return ei.format(e)}function Ze(e,n){return n<=0?0:Math.max(0,Math.min(100,e/n*100))}function pe(e,n,o=n+"s"){return`${I(e)} ${e===1?n:o}`}var ti="1.115",lo="corten.key",Se=class extends Error{constructor(o,r,s,a,i){super(r);this.status=o;this.requestId=s;this.retryAfter=a;this.body=i}status;requestId;retryAfter;body;name="\
ApiError";get passes(){return this.retryAfter!==null}},Xe=F(!1),Re=F(0);function ni(e){return btoa(String.fromCharCode(...e)).replaceAll("+","-").replaceAll("/",
"_").replaceAll("=","")}function uo(){let e=localStorage.getItem(lo);if(e!==null&&e.length===43)return e;let n=ni(crypto.getRandomValues(new Uint8Array(32)));return localStorage.
setItem(lo,n),n}function Ir(){localStorage.removeItem(lo)}function oi(e={}){return{"X-OpenStack-Ironic-API-Version":ti,"X-Corten-Key":uo(),...e}}async function Mt(e,n={}){
let o=n.body===void 0?null:JSON.stringify(n.body),r={Accept:"application/json",...n.headers};o!==null&&(r["Content-Type"]="application/json");let s;try{s=await fetch(
e,{method:n.method??"GET",headers:oi(r),body:o,signal:n.signal??null,credentials:"same-origin",cache:"no-store"})}catch(a){throw a instanceof DOMException&&a.name===
"AbortError"?a:new Se(0,"The service does not answer.",null,null,null)}if(!s.ok&&s.status!==304)throw await ri(s);return s}async function X(e,n){return await(await Mt(
e,n===void 0?{}:{signal:n})).json()}async function O(e,n,o){let s=await(await Mt(n,o===void 0?{method:e}:{method:e,body:o})).text();return s===""?null:JSON.parse(
s)}async function ri(e){e.status===401&&(Xe.value=!0);let n=e.headers.get("x-openstack-request-id"),o=e.headers.get("x-corten-retry-after"),r=null,s="";try{s=await e.
text(),r=JSON.parse(s)}catch{}let a=co(r)??(s.length>0&&s.length<300?s:`The service answered ${e.status}.`);return new Se(e.status,a,n,o===null?null:Number(o),r)}
function co(e){if(typeof e!="object"||e===null)return null;let n=e,o=n.error_message??n.error??n.faultstring;if(typeof o=="string")try{return co(JSON.parse(o))??
o}catch{return o}if(typeof o=="object")return co(o);let r=n.message;return typeof r=="string"?r:null}var $=encodeURIComponent;var Le={enroll:{look:"ready",target:null,verbs:{manage:"verifying"}},verifying:{look:"working",target:"manageable",verbs:{}},manageable:{look:"ready",target:null,
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
tive"}}};var si=Symbol.for("pv"),ai=0;function t(e,n,o,r,s,a){n||(n={});var i,l,c=n;if("ref"in c&&typeof e!="function")for(l in c={},n)l=="ref"?i=n[l]:c[l]=n[l];var d={type:e,props:c,key:o,ref:i,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:si,__v:--ai,__i:-1,__u:0};return(s||a)&&(d.__source=s,d.__self=a),V.vnode&&V.vnode(d),d}var Yt=[{look:"failed",word:"failed"},{look:"working",word:"working"},{look:"waiting",word:"waiting"},{look:"held",word:"held"},{look:"ready",word:"ready"},{look:"\
in_use",word:"in use"}];function Pt(e){return Le[e]?.look??"ready"}function G({look:e}){return t("svg",{class:`mark mark-${e}`,viewBox:"0 0 12 12",width:"12",height:"\
12","aria-hidden":"true",children:[e==="ready"&&t("circle",{cx:"6",cy:"6",r:"4",fill:"none",stroke:"currentColor","stroke-width":"2"}),e==="in_use"&&t("circle",
{cx:"6",cy:"6",r:"5",fill:"currentColor"}),e==="working"&&t("path",{d:"M6 1a5 5 0 1 1-5 5",fill:"none",stroke:"currentColor","stroke-width":"2","stroke-linecap":"\
round"}),e==="waiting"&&t("path",{d:"M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M6 3.4V6l1.8 1.4",fill:"none",stroke:"currentColor","stroke-width":"1.5","str\
oke-linecap":"round"}),e==="held"&&t("path",{d:"M3 1.5h2v9H3zM7 1.5h2v9H7z",fill:"currentColor"}),e==="failed"&&t("path",{d:"M2 2l8 8M10 2l-8 8",stroke:"current\
Color","stroke-width":"2.4","stroke-linecap":"round"})]})}function et({state:e,target:n,maintenance:o}){let r=Pt(e);return t("span",{class:`state look-${r}`,children:[
t(G,{look:r}),t("span",{class:"state-word",children:e}),n!=null&&n!==e&&t("span",{class:"state-target",children:["\u2192 ",n]}),o===!0&&t("span",{class:"chip ch\
ip-hatch",children:"maintenance"})]})}var ii={search:"M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5 14 14",plus:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 \
8",chevron:"M6 3.5 10.5 8 6 12.5",copy:"M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",terminal:"M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3",warn:"M8 2 14.5 13.5h-13zM8 6.5v3.5M8 11\
.8v.2",check:"M3 8.5l3.2 3.2L13 5",more:"M3.5 8h.1M8 8h.1M12.5 8h.1",refresh:"M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",pause:"M5.5 3.5v9M10.5 3.5v9",play:"M5 3.5 12.5\
 8 5 12.5z",down:"M3.5 6 8 10.5 12.5 6",up:"M3.5 10 8 5.5 12.5 10",lock:"M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",power:"M8 2v6M4.8 4.2a5 5 0 1 0 6.4 0",link:"\
M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-4L5 7",download:"M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13.5h10",expand:"M2.5 6v-3.5H6M1\
0 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",sun:"M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1\
 11.9l-.7.7",moon:"M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5",key:"M10.5 2.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8.4 7.6 2.5 13.5M4.5 11.5l1.5 1.5"};function R({
name:e}){return t("svg",{class:"icon",viewBox:"0 0 16 16",width:"16",height:"16","aria-hidden":"true",children:t("path",{d:ii[e],fill:"none",stroke:"currentColo\
r","stroke-width":"1.6","stroke-linecap":"round","stroke-linejoin":"round"})})}var Qt=F([]),po=F(""),li=0;function W(e){po.value=po.peek()===e?e+" ":e,qr({kind:"done",title:e,text:null,requestId:null})}function K(e,n){let o=n instanceof Error?
n.message:String(n),r=n instanceof Se?n.requestId:null;qr({kind:"error",title:e,text:o,requestId:r})}function qr(e){let n=++li;Qt.value=[...Qt.peek().slice(-4),
{...e,id:n}],e.kind==="done"&&window.setTimeout(()=>Fr(n),4e3)}function Fr(e){Qt.value=Qt.peek().filter(n=>n.id!==e)}function Wr(){return t(S,{children:[t("div",
{class:"hidden","aria-live":"polite",children:po.value}),t("div",{class:"notices",children:Qt.value.map(e=>t("div",{class:`notice notice-${e.kind}`,role:e.kind===
"error"?"alert":void 0,children:[t(R,{name:e.kind==="error"?"warn":"check"}),t("div",{class:"notice-words",children:[t("p",{class:"notice-title",children:e.title}),
e.text!==null&&t("p",{children:e.text}),e.requestId!==null&&t("p",{class:"faint",children:["Request ",t("code",{children:e.requestId})]})]}),t("button",{type:"b\
utton",class:"icon-button","aria-label":"Dismiss",onClick:()=>Fr(e.id),children:t(R,{name:"close"})})]},e.id))})]})}function w(e){let{children:n,onClick:o,why:r,kind:s="plain",type:a="button",label:i,small:l,pressed:c,busy:d}=e,u=r!=null||d===!0;return t("button",{type:a,class:`\
button button-${s}${l===!0?" button-small":""}`,"aria-disabled":u,"aria-label":i,"aria-pressed":c,"aria-expanded":e.expanded,"aria-busy":d,autofocus:e.autofocus,
title:r??i,onClick:m=>{if(u){m.preventDefault(),r!=null&&W(`Not now: ${r}.`);return}o?.()},children:n})}function we({at:e,ago:n=!1}){return e==null?t("span",{class:"\
faint",children:"\u2013"}):t("time",{dateTime:e,title:vt(e),children:[xe(e),n?" ago":""]})}function Pe({at:e}){return e==null?t("span",{class:"faint",children:"\
\u2013"}):t("time",{dateTime:e,title:vt(e),children:Or(e)})}function $e({lines:e=3}){let[n,o]=g(!1);return L(()=>{let r=window.setTimeout(()=>o(!0),150);return()=>window.
clearTimeout(r)},[]),t("div",{class:"skeleton",role:"status","aria-label":"Loading",children:n&&Array.from({length:e},(r,s)=>t("div",{class:"skeleton-line"},s))})}
function U({title:e,children:n}){return t("div",{class:"empty",children:[t("p",{class:"empty-title",children:e}),n!==void 0&&t("div",{class:"empty-text",children:n})]})}
function Ee({error:e,retry:n}){return t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:[t(R,{name:"warn"})," ",e.message]}),t(
"p",{class:"faint",children:[e.status>0&&t(S,{children:["Status ",e.status,". "]}),e.requestId!==null&&t(S,{children:["Request ",t("code",{children:e.requestId}),
"."]})]}),n!==void 0&&t(w,{small:!0,onClick:n,children:"Try again"})]})}function z({doc:e,lines:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?
t(S,{children:o(r)}):s!==void 0?t(Ee,{error:s,retry:e.reload}):t($e,{lines:n??3})}function P(e){let n=ft(),o=e.level===3?"h3":"h2";return t("section",{class:`pa\
nel ${e.class??""}`,"aria-labelledby":n,children:[t("header",{class:"panel-head",children:[t(o,{id:n,class:"panel-title",children:e.title}),e.actions!==void 0&&
t("div",{class:"panel-actions",children:e.actions})]}),t("div",{class:"panel-body",children:e.children})]})}function ge({rows:e,all:n=!1}){let o=e.filter(([,r])=>n||
r!=null&&r!==""&&r!==!1);return t("dl",{class:"facts",children:o.map(([r,s])=>t("div",{class:"fact",children:[t("dt",{children:r}),t("dd",{children:s==null||s===
""?t("span",{class:"faint",children:"\u2013"}):s})]},r))})}function H(e){let n=ft();return t("div",{class:`field${e.error?" field-wrong":""}`,children:[t("label",
{for:n,children:e.label}),e.children(n,`${n}-hint`),t("div",{class:"field-hint",id:`${n}-hint`,children:e.error?t("span",{class:"wrong",children:e.error}):e.hint})]})}
function tt({value:e,label:n}){return t("div",{class:"meter",role:"progressbar","aria-valuenow":Math.round(e),"aria-valuemin":0,"aria-valuemax":100,"aria-label":n,
children:t("div",{class:"meter-fill",style:{width:`${e}%`}})})}function At({text:e,label:n}){let[o,r]=g(!1),s=J(void 0);return L(()=>()=>window.clearTimeout(s.current),
[]),t("button",{type:"button",class:"icon-button","aria-label":n,title:n,onClick:()=>{navigator.clipboard?.writeText(e).then(()=>{r(!0),W("Copied."),s.current=window.
setTimeout(()=>r(!1),1500)},()=>W("The browser does not let this page copy."))},children:t(R,{name:o?"check":"copy"})})}var $n=class extends ze{state={error:null};static getDerivedStateFromError(n){return{error:n}}render(){let n=this.state.error;return n===null?this.props.children:
t("div",{class:"failed",role:"alert",children:[t("p",{class:"failed-words",children:["This screen has a defect: ",n.message]}),t(w,{small:!0,onClick:()=>this.setState(
{error:null}),children:"Show it again"})]})}};var ci=100,ui=1e3,di=15e3,pi=4e4,vo=2e3,fi=3e4,mi=2e3,ke=F("connecting"),en=F(Date.now()),Ae=F(0),yt=F(0),fo=new Set;function nt(e){return fo.add(e),()=>fo.delete(
e)}var En=[],Ur,bt,Xt=vo,Mn,jr,mo,ho=!1,Zt=0;function hi(){Ur=void 0;let e=En;En=[];for(let n of[...fo])n(e)}function gi(e){e.cursor<=Ae.value||(Ae.value=e.cursor,
En.push(e),Ur??=window.setTimeout(hi,ci))}function Hr(){if(ho)return;ho=!0,document.addEventListener("visibilitychange",vi),Mn=window.setTimeout(Rt,ui);let e=Re.
value;Re.subscribe(n=>{n>e&&Pn(),e=n})}function Nt(e){!ho||bt!==void 0||Ae.value>0||ke.value!=="connecting"||(Ae.value=e,window.clearTimeout(Mn),Rt())}function vi(){
window.clearTimeout(jr),document.hidden?jr=window.setTimeout(()=>{ke.value="paused",tn()},di):(ke.value==="paused"||ke.value==="lost")&&Pn()}function tn(){window.
clearTimeout(Mn),window.clearTimeout(mo),bt?.abort(),bt=void 0}function Pn(){tn(),Xt=vo,Rt()}function go(){ke.value!=="paused"&&(ke.value="lost",tn(),Mn=window.
setTimeout(Rt,Xt),Xt=Math.min(Xt*2,fi))}function Jr(){en.value=Date.now(),window.clearTimeout(mo),mo=window.setTimeout(go,pi)}async function Rt(){let e=new AbortController;
bt=e,ke.value!=="lost"&&(ke.value="connecting");let n=Ae.value>0,o={Accept:"text/event-stream"};n&&(o["Last-Event-ID"]=String(Ae.value));try{let r=await Mt("/co\
rten/v1/events",{headers:o,signal:e.signal}),s=ke.value==="lost";ke.value="live",Xt=vo,Jr(),(!n||s)&&(yt.value+=1),Zt=0,await bi(r,e,n),bt===e&&go()}catch(r){if(bt!==
e)return;if(r instanceof Se&&r.status===410){Ae.value=0,Rt();return}if(r instanceof Se&&r.status===401){ke.value="paused",tn();return}go()}}async function bi(e,n,o){
let r=e.body?.getReader();if(r===void 0)return;let s=new TextDecoder,a="",i="",l="";for(;;){let{value:c,done:d}=await r.read();if(d||bt!==n)return;Jr(),a+=s.decode(
c,{stream:!0});let u=a.split(`
`);a=u.pop()??"";for(let m of u){let h=m.endsWith("\r")?m.slice(0,-1):m;h.startsWith("id:")?i=h.slice(3).trim():h.startsWith("data:")?l+=h.slice(5).trim():h===""&&
(l!==""?(gi(JSON.parse(l)),Zt+=1):i!==""&&Number(i)>Ae.value&&(Ae.value=Number(i)),i=l="")}if(o&&Zt>mi){En=[],Ae.value=0,tn(),Rt();return}o&&Zt>0&&window.setTimeout(
()=>Zt=0,1e3)}}var An="/ui",Nn=F(bo());function bo(){return{path:(location.pathname.startsWith(An)?location.pathname.slice(An.length):"/").split("/").filter(n=>n!=="").map(yi),
query:new URLSearchParams(location.search)}}function yi(e){try{return decodeURIComponent(e)}catch{return e}}addEventListener("popstate",()=>{Nn.value=bo()});var Oe=ht(
()=>Nn.value.path),ie=ht(()=>Nn.value.query);function M(e,n={}){let o=new URLSearchParams;for(let[a,i]of Object.entries(n))i!=null&&i!==""&&o.set(a,i);let r=o.toString(),
s=e.map(encodeURIComponent).join("/");return`${An}/${s}${r===""?"":"?"+r}`}function le(e,n=!1){e!==location.pathname+location.search&&(Ct(()=>{n?history.replaceState(
null,"",e):history.pushState(null,"",e),Nn.value=bo()}),n||scrollTo(0,0))}function Q(e,n=!1){let o=new URLSearchParams(location.search);for(let[s,a]of Object.entries(
e))a===null||a===""?o.delete(s):o.set(s,a);let r=o.toString();le(location.pathname+(r===""?"":"?"+r),n)}function yo(e){if(e.defaultPrevented||e.button!==0||e.metaKey||
e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target instanceof Element?e.target.closest("a"):null,o=n?.getAttribute("href");n===null||o===null||o===void 0||!o.
startsWith(An+"/")||n.target!==""||n.hasAttribute("download")||(e.preventDefault(),le(o))}function Ce(e){return e instanceof Se?e:new Se(0,e instanceof Error?e.message:String(e),null,null,null)}function D(e,n={}){let o=Qe(()=>{let c=F(void 0),d=F(void 0),
u=F(!0);return{data:c,error:d,loading:u}},[]),r=Et(e),s=Et(0);r.peek()!==e&&(r.value=e,n.keep!==!0&&(o.data.value=void 0),o.error.value=void 0,o.loading.value=e!==
null),Lr(()=>{s.value,yt.value,Re.value;let c=r.value;if(c===null){o.loading.value=!1;return}let d=new AbortController;return X(c,d.signal).then(u=>{o.data.value=
u;let m=u?.cursor;typeof m=="number"&&Nt(m),o.error.value=void 0,o.loading.value=!1},u=>{d.signal.aborted||(o.error.value=Ce(u),o.loading.value=!1)}),()=>d.abort()});
let{every:a,on:i,atMost:l=500}=n;return L(()=>{if(a===void 0)return;let c=window.setInterval(()=>{!document.hidden&&ke.peek()!=="lost"&&(s.value+=1)},a);return()=>window.
clearInterval(c)},[a]),L(()=>{if(i===void 0)return;let c,d=0,u=nt(m=>{if(c!==void 0||!m.some(i))return;let h=Math.max(0,d+l-Date.now());c=window.setTimeout(()=>{
c=void 0,d=Date.now(),s.value+=1},h)});return()=>{u(),window.clearTimeout(c)}},[e,l,i===void 0]),{...o,reload:()=>{s.value+=1}}}function oe({title:e,onClose:n,children:o,foot:r,wide:s,class:a}){let i=ft(),l=J(null),c=J(!1);return pt(()=>{let d=l.current,u=document.activeElement;return d!==
null&&!d.open&&d.showModal(),()=>{c.current=!0,d?.close(),u instanceof HTMLElement&&u.isConnected&&u.focus()}},[]),t("dialog",{ref:l,class:`dialog${s===!0?" dia\
log-wide":""} ${a??""}`,"aria-labelledby":i,onCancel:d=>{d.preventDefault(),n()},onClose:()=>{c.current||(n(),requestAnimationFrame(()=>{let d=l.current;!c.current&&
d!==null&&!d.open&&d.showModal()}))},onClick:d=>{d.target===l.current&&n()},children:t("div",{class:"dialog-inside",children:[t("header",{class:"dialog-head",children:[
t("h2",{id:i,children:e}),t(w,{kind:"quiet",small:!0,label:"Close",onClick:n,children:"\u2715"})]}),t("div",{class:"dialog-body",children:o}),r!==void 0&&t("foo\
ter",{class:"dialog-foot",children:r})]})})}function rt(e){let[n,o]=g(""),r=n.trim()===e.word;return t(oe,{title:e.title,onClose:e.onClose,foot:t(S,{children:[t(
w,{onClick:e.onClose,children:"Cancel"}),t(w,{kind:"danger",why:r?null:`type ${e.word} first`,onClick:e.onYes,children:e.action})]}),children:[t("div",{children:e.
text}),e.children,t("form",{onSubmit:s=>{s.preventDefault(),r&&e.onYes()},children:t(H,{label:`Type ${e.word} to go on`,children:s=>t("input",{id:s,class:"input",
autofocus:!0,autocomplete:"off",spellcheck:!1,value:n,onInput:a=>o(a.currentTarget.value)})})})]})}function _i({commands:e,onClose:n}){return t(oe,{title:"The s\
ame by command",onClose:n,children:[t(ot,{label:"corten",text:e.corten}),t(ot,{label:"curl",text:e.curl})]})}function ot({label:e,text:n}){return t("div",{class:"\
command",children:[t("span",{class:"command-label",children:e}),t("code",{class:"command-text",tabIndex:0,children:n}),t(At,{text:n,label:`Copy the ${e} command`})]})}
function ue({commands:e}){let[n,o]=g(!1);return t(S,{children:[t(w,{kind:"quiet",small:!0,onClick:()=>o(!0),children:"Show command"}),n&&t(_i,{commands:e,onClose:()=>o(
!1)})]})}var ce=F(void 0);async function Rn(){try{ce.value=await X("/corten/v1/me"),Xe.value=!1}catch{}}async function Kr(e){await O("POST","/corten/v1/session",e),await Rn(),
Xe.value=!1,Re.value+=1,zr("in")}async function Vr(){await O("DELETE","/corten/v1/session"),Ir(),ce.value=void 0,Xe.value=!0,zr("out")}function Ln(e){return e===
void 0?"":e.user_name??e.user??(e.mode==="noauth"?"everybody":"signed in")}var Gr=new BroadcastChannel("corten.session");function zr(e){Gr.postMessage(e)}Gr.onmessage=
e=>{e.data==="out"?(ce.value=void 0,Xe.value=!0):Rn().then(()=>Re.value+=1)};var st=[{verb:"manage",label:"Manage",target:"manage",command:"manage",about:"check that its BMC can be controlled"},{verb:"provide",label:"Provide",target:"pro\
vide",command:"provide",about:"clean it and offer it for use"},{verb:"inspect",label:"Inspect",target:"inspect",command:"inspect",about:"find out what hardware \
it has"},{verb:"adopt",label:"Adopt",target:"adopt",command:"adopt",about:"take it over as it is, in use",asks:!0},{verb:"deploy",label:"Deploy",target:"active",
command:"deploy",about:"write an image and boot it",asks:!0},{verb:"rebuild",label:"Rebuild",target:"rebuild",command:"rebuild",about:"write the image again",asks:!0,
destroys:!0},{verb:"delete",label:"Undeploy",target:"deleted",command:"undeploy",about:"take it back and clean it",destroys:!0},{verb:"clean",label:"Clean",target:"\
clean",command:"clean",about:"run clean steps",asks:!0,destroys:!0},{verb:"rescue",label:"Rescue",target:"rescue",command:"rescue",about:"boot a rescue system",
asks:!0},{verb:"unrescue",label:"Unrescue",target:"unrescue",command:"unrescue",about:"boot its own system again"},{verb:"service",label:"Service",target:"servi\
ce",command:"service",about:"run service steps while in use",asks:!0},{verb:"abort",label:"Abort",target:"abort",command:"abort",about:"stop at the end of this \
step"},{verb:"unhold",label:"Go on",target:"unhold",command:"unhold",about:"go on after the hold"}],Yr=[{label:"Power on",target:"power on",command:"power on"},
{label:"Power off",target:"power off",command:"power off",destroys:!0},{label:"Reboot",target:"rebooting",command:"reboot",destroys:!0},{label:"Soft power off",
target:"soft power off",command:"power off --soft"},{label:"Soft reboot",target:"soft rebooting",command:"reboot --soft"}],wi=["deploy","rebuild","rescue","prov\
ide","clean","service"],ki=["rebuild","delete"],Me={provision:"baremetal:node:set_provision_state",power:"baremetal:node:set_power_state",maintain:"baremetal:no\
de:set_maintenance",resume:"baremetal:node:clear_maintenance",update:"baremetal:node:update",create:"baremetal:node:create",remove:"baremetal:node:delete",console:"\
baremetal:node:get_console",switchConsole:"baremetal:node:set_console_state"};function te(e,n){return e===void 0||e.is_open||e.rules.some(o=>o===n||o===`${n}:se\
lf_owned_node`)?null:`you lack the rule ${n}`}function Lt(e,n,o){let r=te(o,Me.provision);return r!==null?r:Le[e.provision_state]?.verbs[n.verb]===void 0?`not f\
rom ${e.provision_state}`:e.maintenance&&wi.includes(n.verb)?"it is in maintenance":e.protected&&ki.includes(n.verb)?"it is protected":e.reservation!==null&&n.verb!==
"abort"?`${e.reservation} works on it`:null}var _o={enroll:"manage",manageable:"provide",available:"deploy",rescue:"unrescue","deploy failed":"deploy","clean fa\
iled":"manage","inspect failed":"inspect","adopt failed":"adopt","rescue failed":"rescue","unrescue failed":"unrescue","deploy hold":"unhold","clean hold":"unho\
ld","service hold":"unhold"};function Qr(e){return st.filter(o=>xi(e,o.verb)).sort((o,r)=>+(r.verb===_o[e])-+(o.verb===_o[e]))}function Zr(e,n){return _o[e]===n}
function xi(e,n){return Le[e]?.verbs[n]!==void 0}function he(e){return/^[\w@%+=:,./-]+$/.test(e)?e:`'${e.replaceAll("'","'\\''")}'`}function re(e,n,o){let r=["c\
url","-X",e,he(location.origin+n),"-H",he("X-OpenStack-Ironic-API-Version: 1.115")];return o!==void 0&&r.push("-H",he("Content-Type: application/json"),"-d",he(
JSON.stringify(o))),r.join(" ")}function Xr(){let[e,n]=g(void 0),o=D("/v1/allocations",{every:e}),s=(o.data.value?.allocations??[]).some(d=>d.state==="allocating");s!==(e!==void 0)&&n(s?5e3:void 0);
let[a,i]=g(!1),[l,c]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Allocations"}),t("span",{class:"spri\
ng"}),t(ue,{commands:{corten:"corten allocation list",curl:re("GET","/v1/allocations")}}),t(w,{kind:"main",why:te(ce.value,"baremetal:allocation:create"),onClick:()=>i(
!0),children:[t(R,{name:"plus"})," Allocate"]})]}),t(z,{doc:o,lines:6,children:d=>d.allocations.length===0?t(U,{title:"No allocations",children:t("p",{children:"\
An allocation asks for any free machine with a resource class and traits, and reserves it."})}):t("div",{class:"panel scroll-x",children:t("table",{class:"table",
children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"wants"}),
t("th",{scope:"col",children:"node"}),t("th",{scope:"col",children:"age"}),t("th",{scope:"col"})]})}),t("tbody",{children:d.allocations.map(u=>t("tr",{children:[
t("th",{scope:"row",children:u.name??u.uuid.slice(0,8)}),t("td",{children:[t("span",{class:"state",children:[t(G,{look:u.state==="active"?"in_use":u.state==="er\
ror"?"failed":"working"})," ",u.state]}),u.last_error!==null&&t("p",{class:"wrong wrap",children:u.last_error})]}),t("td",{children:[u.resource_class," ",u.traits.
map(m=>t("span",{class:"chip",children:m},m))]}),t("td",{children:u.node_uuid===null?t("span",{class:"faint",children:"\u2013"}):t("a",{href:M(["nodes",u.node_uuid]),
children:u.node_uuid.slice(0,8)})}),t("td",{children:t(we,{at:u.created_at})}),t("td",{children:t(w,{small:!0,kind:"quiet",label:`Delete ${u.name??u.uuid}`,why:te(
ce.value,"baremetal:allocation:delete"),onClick:()=>c(u),children:"Delete"})})]},u.uuid))})]})})}),a&&t(Si,{onClose:()=>i(!1),onDone:()=>{i(!1),o.reload()}}),l!==
null&&t(rt,{title:`Delete allocation ${l.name??l.uuid}`,text:t("p",{children:"The machine is free again, if it is not deployed."}),word:l.name??l.uuid.slice(0,8),
action:"Delete",onClose:()=>c(null),onYes:()=>{O("DELETE",`/v1/allocations/${$(l.uuid)}`).then(()=>{c(null),W("The allocation is deleted."),o.reload()},d=>K("It\
 could not be deleted",d))}})]})}function Si({onClose:e,onDone:n}){let[o,r]=g(""),[s,a]=g(""),[i,l]=g(""),[c,d]=g(""),u=h=>h.split(/[\s,]+/).filter(p=>p!==""),m=async()=>{
try{let h={resource_class:s,...o===""?{}:{name:o},...u(i).length===0?{}:{traits:u(i)},...u(c).length===0?{}:{candidate_nodes:u(c)}};await O("POST","/v1/allocati\
ons",h),W("A machine is being looked for."),n()}catch(h){K("The allocation was refused",h)}};return t(oe,{title:"Allocate a machine",onClose:e,foot:t(S,{children:[
t(w,{onClick:e,children:"Cancel"}),t(w,{kind:"main",why:s===""?"a resource class is missing":null,onClick:()=>{m()},children:"Allocate"})]}),children:t("form",{
class:"form",onSubmit:h=>{h.preventDefault(),s!==""&&m()},children:[t(H,{label:"Resource class",children:h=>t("input",{id:h,class:"input",autofocus:!0,value:s,onInput:p=>a(
p.currentTarget.value.trim())})}),t(H,{label:"Name",hint:"Optional.",children:h=>t("input",{id:h,class:"input",value:o,onInput:p=>r(p.currentTarget.value.trim())})}),
t(H,{label:"Traits",hint:"All of them are needed; separated by spaces.",children:h=>t("input",{id:h,class:"input",value:i,onInput:p=>l(p.currentTarget.value)})}),
t(H,{label:"Candidates",hint:"Names or UUIDs; empty for all machines.",children:h=>t("input",{id:h,class:"input",value:c,onInput:p=>d(p.currentTarget.value)})}),
t("button",{type:"submit",hidden:!0})]})})}function es(e){let n=[...e.nodes].sort((o,r)=>o[1].localeCompare(r[1],"en",{numeric:!0}));return{action:e.action,arguments:e.arguments,nodes:n.map(([o])=>o),waves:e.
inWaves?[1,"10%","rest"]:["rest"],...e.mayFail===null?{}:{max_failures:e.mayFail}}}function ts(e){return e==="done"||e==="aborted"}function ns(e){return e==="ru\
nning"?["pause","abort"]:e==="paused"||e==="stopped"?["resume","abort"]:[]}var os={running:"Running.",paused:"Paused; no further node is touched.",stopped:"Stop\
ped after a failure; no further node is touched.",aborting:"Aborted; nodes at work go on to their end.",done:"All done.",aborted:"Aborted."},wo={waiting:"not ye\
t",asked:"being asked",running:"under way",done:"done",failed:"failed",skipped:"not touched"};function ko(e){let{done:n,asked:o,running:r,failed:s,waiting:a,skipped:i}=e.
counts;return`${n} done, ${o+r} under way, ${s} failed, ${a+i} not touched.`}var xo="/corten/v1/batches",rs=500;function as(){let e=D(xo,{on:n=>n.kind==="batch"});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[
t("h1",{children:"Batches"}),t("span",{class:"spring"}),t(ue,{commands:{corten:"corten batch list",curl:re("GET",xo)}})]}),t(z,{doc:e,lines:5,children:n=>n.batches.
length===0?t(U,{title:"No batches",children:[t("p",{children:"A batch does one thing with many nodes, in waves. Select nodes in the list of nodes to make one."}),
t("code",{children:"corten batch create provision manage --where state:enroll"})]}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("the\
ad",{children:t("tr",{children:[t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",class:"num",children:"nodes"}),
t("th",{scope:"col",children:"nodes by outcome"}),t("th",{scope:"col",children:"by"}),t("th",{scope:"col",children:"since"})]})}),t("tbody",{children:n.batches.
map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:M(["batches",o.uuid]),children:So(o)})}),t("td",{class:o.state==="stopped"?"wrong":"",children:o.
state}),t("td",{class:"num",children:I(o.node_count)}),t("td",{children:ko(o)}),t("td",{children:o.user??""}),t("td",{children:t(we,{at:o.created_at,ago:!0})})]},
o.uuid))})]})})})]})}function So(e){return e.description??`${e.action}: ${e.target}`}function is({uuid:e}){let n=`${xo}/${$(e)}`,o=a=>a.kind==="batch"&&a.data?.
batch===e,r=D(n,{on:o,every:5e3,keep:!0}),s=r.data.value;return L(()=>{s!==void 0&&(document.title=`${So(s)} \xB7 Corten`)},[s?.uuid]),t("div",{class:"stack",children:[
t("div",{class:"page-head",children:[t("h1",{children:s===void 0?"Batch":So(s)}),t("span",{class:"spring"}),t(ue,{commands:{corten:`corten batch watch ${e}`,curl:re(
"GET",n)}})]}),t(z,{doc:r,lines:6,children:a=>t(S,{children:[t(Ti,{batch:a,path:n,reload:r.reload}),t($i,{batch:a,path:n,isMine:o})]})})]})}var Ci={pause:"Pause",
resume:"Go on",abort:"Abort"};function Ti({batch:e,path:n,reload:o}){let[r,s]=g(!1),a=e.counts.done+e.counts.failed+e.counts.skipped,i=async(l,c)=>{s(!0);try{await l(),
c()}catch(d){K("That was refused",d)}s(!1)};return t(P,{title:`${e.action}: ${e.target}`,actions:t(S,{children:[ns(e.state).map(l=>t(w,{small:!0,kind:l==="resum\
e"?"main":l==="abort"?"danger":"plain",busy:r,why:te(ce.value,"corten:batch:update"),onClick:()=>{i(()=>O("POST",`${n}/${l}`),o)},children:Ci[l]},l)),ts(e.state)&&
t(w,{small:!0,kind:"quiet",busy:r,why:te(ce.value,"corten:batch:delete"),onClick:()=>{i(()=>O("DELETE",n),()=>le(M(["batches"])))},children:"Remove"})]}),children:t(
"div",{class:"trial",children:[t("p",{role:"status",class:e.state==="stopped"?"wrong":"",children:[t("strong",{children:os[e.state]})," ",ko(e)]}),t(tt,{value:Ze(
a,e.node_count),label:"nodes that have ended"}),t(ge,{rows:[["Reason",e.reason],["Nodes",I(e.node_count)],["Wave",`${e.wave} of ${e.waves.length} (${e.waves.join(
", ")})`],["At once",I(e.at_once)],["May fail",e.max_failures===null?"none before the next wave":pe(e.max_failures,"node")],["Query",e.query===null?null:t("code",
{children:e.query})],["Asked by",e.user],["Run by",e.conductor],["Since",t(we,{at:e.created_at,ago:!0})],["Ended",e.ended_at===null?null:t(we,{at:e.ended_at,ago:!0})]]})]})})}
var ss=["failed","running","asked","waiting","done","skipped"];function $i({batch:e,path:n,isMine:o}){let r=ss.find(d=>d===ie.value.get("state"))??null,[s,a]=g(
-1),i=r===null?"":`&state=${r}`,l=D(`${n}/nodes?after=${s}&limit=${rs}${i}`,{on:o,atMost:1e3,every:5e3,keep:!0}),c=d=>{a(-1),Q({state:d},!0)};return t(P,{title:"\
Nodes",actions:t(S,{children:[t(w,{small:!0,kind:"quiet",pressed:r===null,onClick:()=>c(null),children:"All"}),ss.filter(d=>e.counts[d]>0).map(d=>t(w,{small:!0,
kind:"quiet",pressed:r===d,onClick:()=>c(d),children:[wo[d]," ",I(e.counts[d])]},d))]}),children:t(z,{doc:l,children:d=>t(S,{children:[t("div",{class:"scroll-x",
tabIndex:0,role:"region","aria-label":"What became of each node",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"\
col",children:"node"}),t("th",{scope:"col",children:"wave"}),t("th",{scope:"col",children:"state"}),t("th",{scope:"col",children:"reason"})]})}),t("tbody",{children:d.
nodes.map(u=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:M(["nodes",u.node]),children:u.name??u.node})}),t("td",{children:u.wave}),t("td",{class:u.
state==="done"?"good":u.state==="failed"?"wrong":"",children:wo[u.state]}),t("td",{class:"wrap",children:u.reason??""})]},u.place))})]})}),t("p",{class:"row",children:[
s>=0&&t(w,{small:!0,onClick:()=>a(-1),children:"First ones"}),d.next!==null&&t(w,{small:!0,onClick:()=>a(d.next??-1),children:["Next ",rs]})]})]})})})}function Ei(e){let n=[],o=-1,r=!1;for(let s=0;s<=e.length;s+=1){let a=e[s];a==='"'&&(r=!r);let i=a===void 0||!r&&/\s/.test(a);i&&o>=0?(n.push({start:o,end:s,text:e.
slice(o,s)}),o=-1):!i&&o<0&&(o=s)}return n}var Dn={state:{about:"provision state or its class",values:["failed","working","waiting","held","ready","in_use",...Object.
keys(Le)]},name:{about:"name, with * at either end"},class:{about:"resource class",by:"resource_class"},driver:{about:"hardware type",by:"driver"},conductor:{about:"\
who looks after it",by:"conductor"},group:{about:"conductor group",by:"conductor_group"},chassis:{about:"chassis",by:"chassis"},shard:{about:"shard",by:"shard"},
owner:{about:"owning project",by:"owner"},lessee:{about:"leasing project",by:"lessee"},power:{about:"power state",by:"power"},trait:{about:"trait",by:"trait"},maint:{
about:"in maintenance",values:["yes","no"]},retired:{about:"retired",values:["yes","no"]},protected:{about:"protected",values:["yes","no"]},fault:{about:"fault \
the service found"},error:{about:"words of the last error"},cause:{about:"cause of a failure"},instance:{about:"UUID of the instance"},mac:{about:"MAC address o\
f a port"},bmc:{about:"address of the BMC"},uuid:{about:"UUID"},"age>":{about:"longer in its state than 30m, 2h, 1d"},"age<":{about:"shorter in its state than"}};
function Co(e){return e===""||/[\s",:]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function Bn(e,n){let o=Ei(e).find(c=>n>=c.start&&n<=c.end)??{start:n,end:n,text:""},
r=o.text.startsWith("-")?"-":"",s=o.text.slice(r.length),a=s.indexOf(":");if(a<0)return{word:o,minus:r,key:null,typed:s,before:""};let i=s.slice(a+1),l=i.lastIndexOf(
",");return{word:o,minus:r,key:s.slice(0,a),typed:i.slice(l+1).replaceAll('"',""),before:i.slice(0,l+1)}}function ls(e,n,o){let{minus:r,key:s,typed:a,before:i}=Bn(
e,n),l=a.toLowerCase();return s===null?Object.entries(Dn).filter(([m])=>m.startsWith(l)).map(([m,{about:h}])=>({insert:m.startsWith("age")?m:`${r}${m}:`,label:m.
startsWith("age")?m:`${m}:`,about:h,done:!1})):(Dn[s]?.values?.map(u=>({name:u,about:""}))??o.map(({name:u,total:m})=>({name:u??"",about:String(m)}))).filter(({
name:u})=>u.toLowerCase().includes(l)).slice(0,12).map(({name:u,about:m})=>({insert:`${r}${s}:${i}${Co(u)}`,label:u===""?"(none)":u,about:m,done:!0}))}function cs(e,n,o){
let{word:r}=Bn(e,n),s=e.slice(r.end),a=o.done&&!s.startsWith(" ")?o.insert+" ":o.insert;return{query:e.slice(0,r.start)+a+s,caret:r.start+a.length}}function us(){let e=D("/corten/v1/status",{every:5e3});return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"Conductors"}),
t("span",{class:"spring"}),t(ue,{commands:{corten:"corten status",curl:re("GET","/corten/v1/status")}})]}),t(z,{doc:e,lines:8,children:n=>t(S,{children:[t(Mi,{status:n}),
t("div",{class:"cards",children:n.conductors.map(o=>t(Pi,{one:o},o.host))}),t(Ai,{status:n}),t("div",{class:"cards",children:[t(P,{title:"Leases",level:3,children:[
t("div",{class:"figures",children:[t(We,{value:I(n.leases.count),label:"held"}),t(We,{value:I(n.leases.orphaned),label:"without an owner"})]}),n.leases.quietest!==
null&&t("p",{class:"faint",children:["The quietest is ",t("a",{href:M(["nodes",n.leases.quietest.name??n.leases.quietest.node]),children:n.leases.quietest.name??
n.leases.quietest.node}),", ",_e(n.leases.quietest.quiet_s)," without a word."]})]}),t(P,{title:"Database",level:3,children:t(ge,{rows:[["Engine",n.database.engine],
["Answers within",n.database.latency_s===null?null:`${(n.database.latency_s*1e3).toFixed(1)} ms`],["Size",n.database.size_bytes===null?null:Ne(n.database.size_bytes)],
["Place",t("code",{children:n.database.location})],["Error",n.database.error]]})}),t(P,{title:"Webhooks",level:3,children:t("div",{class:"figures",children:[t(We,
{value:I(n.webhooks.count),label:"in all"}),t(We,{value:I(n.webhooks.failing),label:"failing"}),t(We,{value:I(n.webhooks.dead_letters),label:"dead letters"})]})})]})]})})]})}
function We({value:e,label:n}){return t("div",{class:"figure",children:[t("strong",{children:e}),t("span",{children:n})]})}function Mi({status:e}){return e.problems.
length===0?t("div",{class:"all-well",children:[t(R,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"The service is well"}),t("p",{class:"\
faint",children:[e.process.host," speaks, ",e.process.role,", version ",e.process.version,"."]})]})]}):t(P,{title:"Problems",class:"problems",children:t("ul",{class:"\
causes",children:e.problems.map(n=>t("li",{class:"cause",children:[t("span",{class:`cause-count${n.severity==="error"?"":" cause-warn"}`,children:t(R,{name:"war\
n"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:n.text}),t("p",{class:"cause-advice",children:n.advice})]})]},n.code))})})}
function Pi({one:e}){let[n,o]=g(!1),r=e.state==="alive",s=(e.passes??[]).filter(a=>a.lag_s>Math.max(5,a.interval_s/2));return t(P,{level:3,title:t(S,{children:[
t(G,{look:r?"in_use":"failed"})," ",e.host]}),actions:t("a",{class:"button button-quiet button-small",href:M(["nodes"],{q:`conductor:${Co(e.host)}`}),children:"\
Its nodes"}),children:[t("div",{class:"figures",children:[t(We,{value:I(e.nodes),label:"nodes"}),t(We,{value:e.workers===null?"\u2013":`${e.workers_busy??0} of ${e.
workers}`,label:"workers busy"}),t(We,{value:I(e.leases),label:"leases"}),t(We,{value:e.uptime_s===null?"\u2013":_e(e.uptime_s),label:"up"})]}),t(ge,{rows:[["St\
ate",r?e.may_act===!1?"alive, but may not act":"alive":`${e.state}, silent for ${_e(e.last_seen_s)}`],["Group",e.group],["Version",e.version],["Drivers",e.drivers.
join(", ")],["Error",e.error===null?null:t("span",{class:"wrong",children:e.error})]]}),s.length>0&&t("p",{class:"wrong",children:[t(R,{name:"warn"})," late: ",
s.map(a=>`${a.name} by ${_e(a.lag_s)}`).join(", ")]}),e.passes!==null&&t(w,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:n?"Hide passes":`${e.passes.
length} periodic passes`}),n&&e.passes!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",
{scope:"col",children:"pass"}),t("th",{scope:"col",class:"num",children:"every"}),t("th",{scope:"col",class:"num",children:"late by"}),t("th",{scope:"col",class:"\
num",children:"took"}),t("th",{scope:"col",class:"num",children:"visited"}),t("th",{scope:"col",class:"num",children:"failed"}),t("th",{scope:"col",children:"la\
st"})]})}),t("tbody",{children:e.passes.map(a=>t("tr",{children:[t("th",{scope:"row",children:a.name.replaceAll("_"," ")}),t("td",{class:"num",children:_e(a.interval_s)}),
t("td",{class:"num",children:a.lag_s<1?"":_e(a.lag_s)}),t("td",{class:"num",children:a.rounds===0?"":`${a.last_duration_s.toFixed(2)} s`}),t("td",{class:"num",children:a.
rounds===0?"":I(a.last_visited)}),t("td",{class:`num${a.last_failed>0?" wrong":""}`,children:a.last_failed===0?"":I(a.last_failed)}),t("td",{children:a.is_running?
"now":a.last_began===null?"not yet":`${xe(a.last_began)} ago`})]},a.name))})]})})]})}function Ai({status:e}){return e.ring.length===0?null:t(P,{title:"Who looks\
 after what",level:3,children:t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
driver"}),t("th",{scope:"col",children:"group"}),t("th",{scope:"col",class:"num",children:"nodes"}),t("th",{scope:"col",children:"shares"})]})}),t("tbody",{children:e.
ring.map(n=>t("tr",{children:[t("th",{scope:"row",children:n.driver}),t("td",{children:n.group===""?t("span",{class:"faint",children:"default"}):n.group}),t("td",
{class:"num",children:I(n.nodes)}),t("td",{children:n.shares.map(o=>`${o.host} ${Math.round(o.share*100)} %`).join(", ")})]},n.group+n.driver))})]})})})}var Ni=1e4;async function On(e,n){let o=Date.now()+Ni;for(;;)try{return await e()}catch(r){if(!(r instanceof Se&&r.status===409&&r.passes)||Date.now()>o)throw r;
n?.(r),await new Promise(a=>window.setTimeout(a,Math.min(1e3,(r.retryAfter??1)*1e3)))}}function je(e,n,o){return On(()=>O("PUT",`/v1/nodes/${$(e)}/states/provis\
ion`,n),o)}function To(e,n,o){return On(()=>O("PUT",`/v1/nodes/${$(e)}/states/power`,{target:n}),o)}function $o(e,n,o){let r=`/v1/nodes/${$(e)}/maintenance`;return On(
()=>n?O("PUT",r,{reason:o}):O("DELETE",r))}function Dt(e,n){return On(()=>O("PATCH",`/v1/nodes/${$(e)}`,n))}var _t=["name","driver","address","username","password","mac","class"],ds={host:"name",hostname:"name",node:"name",server:"name",type:"driver",hardware_type:"dr\
iver",bmc:"address",bmc_address:"address",ip:"address",redfish_address:"address",ipmi_address:"address",user:"username",login:"username",redfish_username:"usern\
ame",ipmi_username:"username",pass:"password",redfish_password:"password",ipmi_password:"password",macs:"mac",mac_address:"mac",port:"mac",resource_class:"class"};
function Ri(e,n){let o=[],r=[],s="",a=!1;for(let i=0;i<e.length;i+=1){let l=e[i]??"";a?l==='"'&&e[i+1]==='"'?(s+='"',i+=1):l==='"'?a=!1:s+=l:l==='"'&&s===""?a=!0:
l===n?(r.push(s.trim()),s=""):l===`
`||l==="\r"?(l==="\r"&&e[i+1]===`
`&&(i+=1),r.push(s.trim()),s="",r.some(c=>c!=="")&&o.push(r),r=[]):s+=l}return r.push(s.trim()),r.some(i=>i!=="")&&o.push(r),o}function ps(){return{name:"",driver:"",
address:"",username:"",password:"",mac:"",class:"",extra:{}}}function Eo(e,n,o){let r=n.trim().toLowerCase(),s=_t.includes(r)?r:ds[r];s!==void 0?e[s]=o:r.startsWith(
"extra.")&&o!==""&&(e.extra[n.trim().slice(6)]=o)}function fs(e){let n=e.trim();if(n==="")return{machines:[],unknown:[],error:null};if(n.startsWith("[")||n.startsWith(
"{"))return Li(n);let o=n.split(/\r?\n/,1)[0]??"",r=o.includes("	")?"	":o.includes(";")&&!o.includes(",")?";":",",[s,...a]=Ri(n,r);if(s===void 0)return{machines:[],
unknown:[],error:null};let i=c=>_t.includes(c.toLowerCase())||c.toLowerCase()in ds||c.toLowerCase().startsWith("extra.");return s.some(i)?{machines:a.map(c=>{let d=ps();
for(let[u,m]of s.entries())Eo(d,m,c[u]??"");return d}),unknown:s.filter(c=>c!==""&&!i(c)),error:null}:{machines:[],unknown:[],error:`The first line has to name \
the columns: ${_t.join(", ")}, extra.\u2026`}}function Li(e){try{let n=JSON.parse(e);return{machines:(Array.isArray(n)?n:n.nodes??[n]).map(s=>{let a=ps();for(let[
i,l]of Object.entries(s))if(i==="extra"&&typeof l=="object"&&l!==null)for(let[c,d]of Object.entries(l))a.extra[c]=String(d);else Array.isArray(l)?Eo(a,i,l.join(
" ")):l!==null&&typeof l!="object"&&Eo(a,i,String(l));return a}),unknown:[],error:null}}catch(n){return{machines:[],unknown:[],error:n instanceof Error?n.message:
String(n)}}}var Di=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i,Bi=/^[A-Za-z0-9][A-Za-z0-9._~-]*$/;function wt(e){return e.split(/[\s,;]+/).filter(n=>n!=="")}function ms(e,n,o){
let r=new Map,s=new Map;for(let a of e){r.set(a.name,(r.get(a.name)??0)+1);for(let i of wt(a.mac))s.set(i.toLowerCase(),(s.get(i.toLowerCase())??0)+1)}return e.
map(a=>{let i={};a.name!==""&&!Bi.test(a.name)?i.name="not a valid name":a.name!==""&&(r.get(a.name)??0)>1?i.name="twice in this list":o.has(a.name)&&(i.name="t\
here is a node of this name"),a.driver===""?i.driver="missing":n.length>0&&!n.includes(a.driver)&&(i.driver=`not one of ${n.join(", ")}`),a.driver!=="fake-hardw\
are"&&a.address===""?i.address="missing":/\s/.test(a.address)&&(i.address="has a space");for(let l of wt(a.mac))Di.test(l)?(s.get(l.toLowerCase())??0)>1&&(i.mac=
"twice in this list"):i.mac=`${l} is no MAC address`;return i})}function hs(e){let n={},o=e.driver==="ipmi"?"ipmi":"redfish";return e.driver!=="fake-hardware"&&
(e.address!==""&&(n[`${o}_address`]=e.address),e.username!==""&&(n[`${o}_username`]=e.username),e.password!==""&&(n[`${o}_password`]=e.password)),{driver:e.driver,
...e.name===""?{}:{name:e.name},...e.class===""?{}:{resource_class:e.class},driver_info:n,...Object.keys(e.extra).length===0?{}:{extra:e.extra}}}var Oi=8,Mo=200;function gs({drivers:e,why:n}){let[o,r]=g(""),[s,a]=g([]),[i,l]=g([]),[c,d]=g(null),[u,m]=g(new Set),[h,p]=g(!0),[f,k]=g(!1),C=E=>{r(E);let Y=fs(
E);d(Y.error),l(Y.unknown),a(Y.machines.map(ne=>({machine:ne,fate:"new",words:null})))},x=s.filter(E=>E.fate!=="done").map(E=>E.machine.name).filter(E=>E!==""),
b=x.join(" ");L(()=>{if(b==="")return;let E=window.setTimeout(()=>vs(x).then(m,()=>{}),400);return()=>window.clearTimeout(E)},[b]);let v=s.filter(E=>E.fate!=="d\
one"),_=ms(v.map(E=>E.machine),e,u),q=_.filter(E=>Object.keys(E).length>0).length,y=s.length-v.length,B=(E,Y,ne)=>{a(s.map(A=>A===E?{...A,machine:{...A.machine,
[Y]:ne}}:A))},T=async()=>{k(!0);let E=[...v],Y=new Map,ne=()=>a(s.map(se=>Y.get(se)??se)),A=async()=>{for(let se=E.shift();se!==void 0;se=E.shift())Y.set(se,{...se,
fate:"asked",words:null}),ne(),Y.set(se,await Ii(se,h)),ne()};await Promise.all(Array.from({length:Oi},A));let ee=[...Y.values()].filter(se=>se.fate==="failed").
length;W(ee===0?`${pe(Y.size,"machine")} enrolled.`:`${pe(ee,"machine")} could not be enrolled.`),k(!1)},j=n??(v.length===0?"there is nothing to enrol":q>0?`${pe(
q,"row")} to be corrected`:null);return t(S,{children:[t(P,{title:"Paste a table",level:3,children:t(H,{label:"CSV with a header, or JSON",error:c,hint:i.length>
0?`Left out: ${i.join(", ")}.`:`Columns: ${_t.join(", ")}, extra.\u2026`,children:(E,Y)=>t("textarea",{id:E,class:"area","aria-describedby":Y,spellcheck:!1,autofocus:!0,
placeholder:`name,driver,address,username,password,mac,class
web-01,redfish,10.0.0.11,admin,\u2026,52:54:00:12:34:56,web`,value:o,onInput:ne=>C(ne.currentTarget.value)})})}),s.length>0&&t(P,{level:3,title:pe(s.length,"mac\
hine"),actions:t(S,{children:[t("span",{role:"status",class:q>0?"wrong":"faint",children:[y>0&&`${y} enrolled. `,q>0?`${pe(q,"row")} to be corrected.`:v.length>
0?"All rows are well formed.":""]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:h,onChange:E=>p(E.currentTarget.checked)})," veri\
fy each"]}),t(w,{kind:"main",why:j,busy:f,onClick:()=>{T()},children:["Enrol ",v.length>0?v.length:""]})]}),children:t("div",{class:"scroll-x scroll-y",tabIndex:0,
role:"region","aria-label":"Machines to enrol",children:[t("table",{class:"table csv-table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col"}),
_t.map(E=>t("th",{scope:"col",children:E},E)),t("th",{scope:"col",children:"what is wrong"})]})}),t("tbody",{children:s.slice(0,Mo).map((E,Y)=>{let ne=E.fate===
"done"?{}:_[v.indexOf(E)]??{};return t("tr",{children:[t("td",{children:t(G,{look:E.fate==="done"?"in_use":E.fate==="failed"?"failed":E.fate==="asked"?"working":
"ready"})}),_t.map(A=>t("td",{class:ne[A]===void 0?"":"cell-wrong",children:E.fate==="done"&&A==="name"?t("a",{href:M(["nodes",E.machine.name]),children:E.machine.
name}):t("input",{"aria-label":`${A} of row ${Y+1}`,type:A==="password"?"password":"text",autocomplete:"off",disabled:E.fate==="done"||f,value:E.machine[A],onInput:ee=>B(
E,A,ee.currentTarget.value)})},A)),t("td",{class:"wrong",children:[Object.entries(ne).map(([A,ee])=>`${A}: ${ee}`).join("; "),E.words!==null&&t(S,{children:[t(R,
{name:"warn"})," ",E.words]})]})]},Y)})})]}),s.length>Mo&&t("p",{class:"faint",children:[s.length-Mo," more rows are checked and enrolled, but not drawn."]})]})})]})}
async function Ii(e,n){let o=s=>s instanceof Error?s.message:String(s),r;try{r=await O("POST","/v1/nodes",hs(e.machine))}catch(s){return{...e,fate:"failed",words:o(
s)}}if(r===null)return{...e,fate:"failed",words:"the service gave no answer"};try{for(let s of wt(e.machine.mac))await O("POST","/v1/ports",{node_uuid:r.uuid,address:s})}catch(s){
return await O("DELETE",`/v1/nodes/${$(r.uuid)}`).catch(()=>{}),{...e,fate:"failed",words:o(s)}}if(n)try{await je(r.uuid,{target:"manage"})}catch(s){return{...e,
fate:"done",words:o(s)}}return{...e,fate:"done",words:null}}function bs(){let e=ie.value.get("as")==="many",n=D("/v1/drivers"),o=te(ce.value,Me.create);return t("div",{class:"stack enrol",children:[t("div",{class:"page-h\
ead",children:[t("h1",{children:"Enrol machines"}),t("div",{class:"segmented",role:"radiogroup","aria-label":"How many",children:[t("label",{children:[t("input",
{type:"radio",name:"many",checked:!e,onChange:()=>Q({as:null})}),t("span",{children:"One machine"})]}),t("label",{children:[t("input",{type:"radio",name:"many",
checked:e,onChange:()=>Q({as:"many"})}),t("span",{children:"Many"})]})]})]}),o!==null&&t("p",{class:"wrong",children:["You cannot enrol: ",o,"."]}),t(z,{doc:n,children:r=>{
let s=r.drivers.map(a=>a.name).sort();return e?t(gs,{drivers:s,why:o}):t(Wi,{drivers:s,why:o})}})]})}function qi(e,n){return/_(address|username|password)$/.test(
e)||/required/i.test(n.slice(-12))}function Fi(e){return/password|secret|key$|token/.test(e)&&!/key_file/.test(e)}function Wi({drivers:e,why:n}){let[o,r]=g(e.includes(
"redfish")?"redfish":e[0]??""),[s,a]=g(""),[i,l]=g(""),[c,d]=g(""),[u,m]=g({}),[h,p]=g(!1),f=D(o===""?null:`/v1/drivers/${$(o)}/properties`),k=wt(c).find(v=>!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.
test(v)),C=(v,_)=>t(H,{label:v,hint:_,children:(q,y)=>t("input",{id:q,class:"input",type:Fi(v)?"password":"text",autocomplete:"off",spellcheck:!1,"aria-describe\
dby":y,placeholder:v==="redfish_address"?"https://bmc.example":"",value:u[v]??"",onInput:B=>{let{value:T}=B.currentTarget;m(j=>({...j,[v]:T}))}})},v),x=async v=>{
p(!0);try{let _=Object.fromEntries(Object.entries(u).filter(([,B])=>B!=="")),q={driver:o,driver_info:_,...s===""?{}:{name:s},...i===""?{}:{resource_class:i}},y=await O(
"POST","/v1/nodes",q);if(y===null)return;for(let B of wt(c))await O("POST","/v1/ports",{node_uuid:y.uuid,address:B});W(`${s===""?y.uuid:s} is enrolled.`),v&&await je(
y.uuid,{target:"manage"}),le(M(["nodes",y.name??y.uuid],{tab:v?"timeline":null}))}catch(_){K("The machine could not be enrolled",_)}p(!1)},b=n??(k===void 0?null:
`${k} is no MAC address`);return t("form",{class:"form enrol-one",onSubmit:v=>{v.preventDefault(),b===null&&x(!0)},children:[t(P,{title:"The machine",level:3,children:t(
"div",{class:"form",children:t("div",{class:"pair",children:[t(H,{label:"Driver",hint:"How its BMC is spoken to.",children:v=>t("select",{id:v,class:"input",value:o,
onChange:_=>r(_.currentTarget.value),children:e.map(_=>t("option",{value:_,children:_},_))})}),t(H,{label:"Name",hint:"Letters, digits, dots and dashes.",children:v=>t(
"input",{id:v,class:"input",autofocus:!0,autocomplete:"off",spellcheck:!1,value:s,onInput:_=>a(_.currentTarget.value.trim())})}),t(H,{label:"Resource class",hint:"\
What kind of machine it is, such as gpu.",children:v=>t("input",{id:v,class:"input",value:i,onInput:_=>l(_.currentTarget.value.trim())})}),t(H,{label:"MAC addre\
sses",hint:"Of the ports it boots from; separated by spaces.",error:k===void 0?null:`${k} is no MAC address.`,children:v=>t("input",{id:v,class:"input",spellcheck:!1,
value:c,onInput:_=>d(_.currentTarget.value)})})]})})}),t(P,{title:"How to reach its BMC",level:3,children:t(z,{doc:f,children:v=>{let _=Object.entries(v).sort(),
q=T=>T.endsWith("_address")?0:T.endsWith("_username")?1:T.endsWith("_password")?2:3,y=_.filter(([T,j])=>qi(T,j)).sort(([T],[j])=>q(T)-q(j)),B=_.filter(T=>!y.includes(
T));return _.length===0?t("p",{class:"faint",children:"This driver needs nothing."}):t("div",{class:"form",children:[t("div",{class:"pair",children:y.map(([T,j])=>C(
T,j))}),B.length>0&&t("details",{children:[t("summary",{children:[B.length," more settings"]}),t("div",{class:"pair",children:B.map(([T,j])=>C(T,j))})]})]})}})}),
t("div",{class:"row",children:[t(w,{kind:"main",type:"submit",why:b,busy:h,children:"Enrol and verify now"}),t(w,{why:b,busy:h,onClick:()=>{x(!1)},children:"Enr\
ol only"}),t("span",{class:"faint",children:"Verifying speaks to the BMC and leads to \u201Cmanageable\u201D."})]})]})}async function vs(e){let n=new Set;for(let o=0;o<
e.length;o+=25){let r=e.slice(o,o+25).filter(a=>/^[\w.~-]+$/.test(a));if(r.length===0)continue;let s=await X(`/corten/v1/nodes?fields=name&limit=25&q=${$(`name:${r.
join(",")}`)}`);for(let a of s.nodes)n.add(a.name)}return n}function Bt(e,n){let o=`corten.${e}`,r=n;try{let i=localStorage.getItem(o);i!==null&&(r=JSON.parse(i))}catch{}let s=F(r),a=!0;return Be(()=>{let i=JSON.stringify(
s.value);a||localStorage.setItem(o,i),a=!1}),s}var Ie=Bt("letters",!0),kt=Bt("columns",["name","state","since","power","class","conductor","matter"]),He=Bt("vie\
ws",[]),Po=Bt("group","resource_class"),In=Bt("images",[]),nn=Bt("console.font",14),Ue=F(ji());function ji(){let e=localStorage.getItem("corten.theme");return e===
"light"||e==="dark"?e:"system"}var ys=matchMedia("(prefers-color-scheme: dark)"),Ao=F(0);function _s(){let e=Ue.value==="dark"||Ue.value==="system"&&ys.matches;
document.documentElement.dataset.theme=e?"dark":"light",Ao.value+=1}ys.addEventListener("change",_s);function Ot(e){Ue.value=e,e==="system"?localStorage.removeItem(
"corten.theme"):localStorage.setItem("corten.theme",e),_s()}var rn=F([]);function No(){return rn.value.flat()}function qe(e){L(()=>(rn.value=[...rn.peek(),e],()=>{rn.value=rn.peek().filter(n=>n!==e)}))}function Ui(e){return e instanceof
HTMLElement?e.isContentEditable||["INPUT","TEXTAREA","SELECT"].includes(e.tagName)||e.closest(".terminal")!==null:!1}var on=null,ws;function Ro(e){let n=document.
querySelector("dialog[open]")!==null,o=!e.ctrlKey&&!e.metaKey&&!e.altKey;if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="k"&&!Hi(e.target)){e.preventDefault(),
xt.value=!xt.value;return}if(n||!o||Ui(e.target))return;let r=e.key.length===1;if(r&&!Ie.value)return;let s=on===null?e.key:`${on} ${e.key}`;on=null,window.clearTimeout(
ws);let a=No(),i=a.findLast(l=>l.keys===s)??a.findLast(l=>l.keys===e.key);i!==void 0?(e.preventDefault(),i.run(e)):r&&a.some(l=>l.keys.startsWith(e.key+" "))&&(on=
e.key,ws=window.setTimeout(()=>on=null,1500))}function Hi(e){return e instanceof Element&&e.closest(".terminal")!==null}var xt=F(!1),sn=F(!1);var xs=1e4,Lo=400,Ji=["created","provision","power","step","error","warning","maintenance","console","updated","resumed","deleted"];function Ss(){let e=ie.value.
get("kind")??"",n=ie.value.get("node")??"",o=ie.value.get("project")??"",r=ie.value.get("after"),[s,a]=g(null),[i,l]=g(null),[c,d]=g(!1),u=J([]),[m,h]=g(0),[p,f]=g(
null),k=[["kind",e],["node",n],["project",o]].map(([b,v])=>v===""?"":`&${b}=${$(v??"")}`).join("");L(()=>{let b=!1;return a(null),l(null),(async()=>{try{let _=r===
null?await Vi():Number(r),q=await X(`/corten/v1/events?limit=1000&after=${_}${k}`);b||a(q.events.reverse())}catch(_){b||l(Ce(_))}})(),()=>{b=!0}},[k,r]),L(()=>{
if(r!==null)return;let b=v=>{v.length!==0&&(c?(u.current=[...v.reverse(),...u.current].slice(0,xs),h(u.current.length)):a(_=>ks(_??[],v)))};return o!==""?Ki(k,b):
nt(v=>b(v.filter(_=>(e===""||_.kind===e)&&(n===""||_.node===n||_.node_name===n))))},[k,r,c]);let C=()=>{a(b=>ks(b??[],u.current.reverse())),u.current=[],h(0),d(
!1)};qe([{keys:"p",about:"pause, and follow again",run:()=>c?C():d(!0)}]);let x=i!==null&&i.status===410?i.body:null;return t("div",{class:"stack",children:[t("\
div",{class:"page-head",children:[t("h1",{children:"Events"}),t("select",{class:"select","aria-label":"Kind",value:e,onChange:b=>Q({kind:b.currentTarget.value}),
children:[t("option",{value:"",children:"all kinds"}),Ji.map(b=>t("option",{value:b,children:b},b))]}),t("input",{class:"input filter","aria-label":"Node",placeholder:"\
node",value:n,onChange:b=>Q({node:b.currentTarget.value.trim()})}),t("input",{class:"input filter","aria-label":"Project",placeholder:"project",value:o,onChange:b=>Q(
{project:b.currentTarget.value.trim()})}),t("label",{class:"inline-label",children:["at"," ",t("input",{class:"input filter",type:"datetime-local",onChange:b=>{
let v=b.currentTarget.value;v===""?Q({after:null}):Gi(new Date(v).getTime()).then(_=>Q({after:String(_)}),_=>l(Ce(_)))}})]}),r===null?t(w,{small:!0,pressed:c,onClick:()=>c?
C():d(!0),children:[t(R,{name:c?"play":"pause"})," ",c?`Follow${m>0?` \xB7 ${I(m)} new`:""}`:"Pause"]}):t(w,{small:!0,kind:"main",onClick:()=>Q({after:null}),children:"\
Follow the newest"}),t("span",{class:"spring"}),t(ue,{commands:{corten:`corten events${n===""?"":` --node ${he(n)}`}${e===""?"":` --kind ${e}`}`,curl:re("GET",`\
/corten/v1/events?after=0${k}`)}})]}),i!==null&&t("div",{class:"stack",children:[t(Ee,{error:i}),x?.oldest!==void 0&&t(w,{onClick:()=>Q({after:String((x.oldest??
1)-1)}),children:"Read from the oldest event that is kept"})]}),i===null&&s===null&&t($e,{lines:10}),s!==null&&s.length===0&&t(U,{title:"No event matches",children:"\
Everything that happens to machines is written here."}),s!==null&&s.length>0&&t("div",{class:"panel event-list",children:[s.slice(0,Lo).map(b=>t("div",{class:"e\
vent-row",children:[t("time",{dateTime:b.at,title:vt(b.at),children:new Date(b.at).toLocaleTimeString("en-GB")}),t("a",{href:M(["nodes",b.node_name??b.node]),children:b.
node_name??b.node.slice(0,8)}),t("span",{class:`kind-${b.kind}`,children:b.kind}),t("span",{class:"event-text",children:b.text}),t(w,{small:!0,kind:"quiet",label:`\
JSON of event ${b.cursor}`,expanded:p===b.cursor,onClick:()=>f(p===b.cursor?null:b.cursor),children:"JSON"}),p===b.cursor&&t("pre",{class:"json event-json",children:JSON.
stringify(b,null,2)})]},b.cursor)),s.length>Lo&&t("p",{class:"faint event-row",children:[I(s.length-Lo)," older ones are not drawn; filter to see them."]})]})]})}
function Ki(e,n){let o=new AbortController;return(async()=>{let s=Ae.peek();for(;!o.signal.aborted;){let a=await X(`/corten/v1/events?wait=20&after=${s}${e}`,o.
signal);s=a.next,n(a.events)}})().catch(()=>{}),()=>o.abort()}function ks(e,n){let o=e[0]?.cursor??0;return[...n.filter(s=>s.cursor>o).sort((s,a)=>a.cursor-s.cursor),
...e].slice(0,xs)}async function Vi(){let n=(await X("/corten/v1/status")).database.newest_event;return Math.max(0,(n?.cursor??0)-300)}async function Gi(e){let n=await X(
"/corten/v1/status"),o=n.database.oldest_event?.cursor??1,r=n.database.newest_event?.cursor??1;for(;o<r;){let s=Math.floor((o+r)/2),i=(await X(`/corten/v1/event\
s?limit=1&after=${s-1}`)).events[0];i===void 0||Date.parse(i.at)>=e?r=s:o=Math.max(i.cursor,s)+1}return Math.max(0,o-1)}function zi(e,n){let o=[],r=0;for(let s of e.matchAll(/([a-zA-Z])(\d+)/g)){let a=s[1]??"",i=n[a.toLowerCase()],l=Number(s[2]);i===void 0||l<=0||(o.push({look:i,
aside:a!==a.toLowerCase(),count:l,start:r}),r+=l)}return o}var Yi=[[26,4],[20,4],[14,3],[12,2],[10,2],[8,2],[7,1],[6,1],[5,1],[4,1],[4,0],[3,0]],Qi=10,Cs=20;function Ts(e,n,o,r){
let s=o<640,a=s?0:168,i;for(let[c,d]of Yi){let u=c+d,m=Math.max(1,Math.floor((o-a)/u)),h=0,p=[];for(let f of e){let k=Math.max(1,Math.ceil(f.total/m)),C=s?h+Cs:
h,x=Math.max(k*u,s?0:Cs);p.push({group:f,runs:[],y:C,height:x}),h=C+x+Qi}if(i={cell:c,gap:d,columns:m,left:a,width:o,height:Math.max(h,1),blocks:p},h<=(c>14?r/4:
r))break}let l=i;for(let c of l.blocks)c.runs=zi(c.group.cells,n);return l}function $s(e,n,o){let r=e.cell+e.gap,s=Math.floor((n-e.left)/r);if(s<0||s>=e.columns)
return null;for(let[a,{y:i,height:l,group:c}]of e.blocks.entries()){if(o<i||o>=i+l)continue;let d=Math.floor((o-i)/r)*e.columns+s;return d<c.total?{block:a,index:d}:
null}return null}function Es(e,n,o){let r=e.blocks[n.block];if(r===void 0)return n;let{total:s}=r.group,a=n.index;if(o==="ArrowRight"?a+=1:o==="ArrowLeft"?a-=1:
o==="ArrowDown"?a+=e.columns:o==="ArrowUp"?a-=e.columns:o==="Home"?a=0:o==="End"&&(a=s-1),a>=s){let i=e.blocks[n.block+1];return i===void 0?{block:n.block,index:s-
1}:{block:n.block+1,index:o==="ArrowDown"?Math.min(n.index%e.columns,i.group.total-1):0}}if(a<0){let i=e.blocks[n.block-1];return i===void 0?{block:0,index:0}:{
block:n.block-1,index:i.group.total-1}}return{block:n.block,index:a}}function Ms(e,n){return e.runs.find(o=>n>=o.start&&n<o.start+o.count)}function Do(e,n){let o=e.
blocks[n.block],r=e.cell+e.gap;return{x:e.left+n.index%e.columns*r,y:(o?.y??0)+Math.floor(n.index/e.columns)*r}}var Te=F(new Map);var Zi=560,an=5;function Je(...e){return e.filter(n=>n!=null&&n!=="").join(" ")}function Xi(){let e=getComputedStyle(document.documentElement),n=o=>e.getPropertyValue(
o).trim();return{ready:n("--ready"),in_use:n("--in-use"),working:n("--working"),waiting:n("--waiting"),held:n("--held"),failed:n("--failed"),text:n("--text"),faint:n(
"--faint"),back:n("--panel"),focus:n("--focus")}}function Bo(e){return e===null||e===""?"(none)":e}function As({map:e,q:n}){let o=J(null),r=J(null),[s,a]=g(0),[
i,l]=g(null),[c,d]=g(null),u=el(e,n,i),m=s===0?null:Ts(e.groups,e.letters,s,Zi);pt(()=>{let v=o.current;if(v===null)return;let _=()=>a(v.clientWidth);_();let q=new ResizeObserver(
_);return q.observe(v),()=>q.disconnect()},[]);let h=Ao.value;pt(()=>{r.current!==null&&m!==null&&tl(r.current,m,i,c)},[e,s,i,c,h]);let p=v=>{let _=r.current?.getBoundingClientRect();
return _===void 0||m===null?null:$s(m,v.clientX-_.left,v.clientY-_.top)},f=()=>{u!==void 0&&le(M(["nodes",u.name??u.uuid]))},k=async()=>{if(c===null)return;d(null);
let v=m?.blocks[c.from.block],[_,q]=[Math.min(c.from.index,c.to.index),Math.max(c.from.index,c.to.index)];if(v===void 0||c.from.block!==c.to.block)return;if(_===
q)return f();let y=Je(n,v.group.q),B=await X(`/corten/v1/nodes?fields=uuid,name&sort=name&limit=${Math.min(1e3,q-_+1)}&offset=${_}&q=${$(y)}`);Te.value=new Map(
B.nodes.map(T=>[T.uuid,T.name??T.uuid])),le(M(["nodes"],{q:y}))},C=m!==null&&i!==null?Do(m,i):null,x=i===null?void 0:m?.blocks[i.block],b=x===void 0||i===null?void 0:
Ms(x,i.index);return t("div",{class:"map",ref:o,tabIndex:0,role:"application","aria-label":`Map of ${I(e.total)} nodes. Arrow keys move, Enter opens a node, t s\
hows a table.`,onKeyDown:v=>{if(!(m===null||m.blocks.length===0)){if(v.key==="Enter")f();else if(v.key==="Escape")l(null);else if(v.key.startsWith("Arrow")||v.key===
"Home"||v.key==="End")l(i===null?{block:0,index:0}:Es(m,i,v.key));else return;v.preventDefault()}},onBlur:()=>l(null),children:[t("canvas",{ref:r,class:"map-can\
vas","aria-hidden":"true",onPointerMove:v=>{let _=p(v);c!==null&&_!==null&&_.block===c.from.block&&d({...c,to:_}),(_?.block!==i?.block||_?.index!==i?.index)&&l(
_)},onPointerLeave:()=>{l(null),d(null)},onPointerDown:v=>{let _=p(v);_!==null&&v.button===0&&d({from:_,to:_})},onPointerUp:()=>{k()}}),C!==null&&b!==void 0&&m!==
null&&t("div",{class:"map-tip",role:"status",style:{left:`${Math.max(0,Math.min(C.x,s-250))}px`,top:`${C.y+m.cell+6}px`},children:u===void 0?t("span",{class:"fa\
int",children:[b.look.replace("_"," ")," \u2026"]}):t(S,{children:[t("strong",{children:u.name??u.uuid}),t(et,{state:u.provision_state,target:u.target_provision_state,
maintenance:u.maintenance}),t("span",{class:"faint",children:["since ",xe(u.provision_updated_at)]}),u.cause!==null&&t("span",{class:"map-cause",children:u.cause.
sentence})]})})]})}function el(e,n,o){let[r,s]=g({key:"",row:void 0}),a=o===null?void 0:e.groups[o.block],i=a===void 0||o===null?"":`${o.block}/${o.index}/${e.cursor}`;
return L(()=>{if(a===void 0||o===null)return;let l=new AbortController,c=window.setTimeout(()=>{X(`/corten/v1/nodes?sort=name&limit=1&offset=${o.index}&q=${$(Je(
n,a.q))}`,l.signal).then(d=>s({key:i,row:d.nodes[0]}),()=>{})},60);return()=>{window.clearTimeout(c),l.abort()}},[i]),r.key===i?r.row:void 0}function tl(e,n,o,r){
let s=window.devicePixelRatio||1;e.width=Math.round(n.width*s),e.height=Math.round(n.height*s),e.style.width=`${n.width}px`,e.style.height=`${n.height}px`;let a=e.
getContext("2d");if(a===null)return;let i=Xi();a.scale(s,s),a.clearRect(0,0,n.width,n.height),a.textBaseline="middle";let l=n.cell+n.gap;for(let c of n.blocks){
rl(a,n,c,i);let d=[];for(let u of c.runs){a.fillStyle=i[u.look];for(let m=u.start;m<u.start+u.count;){let h=m%n.columns,p=n.gap===0?Math.min(u.start+u.count-m,n.
columns-h):1,f=n.left+h*l,k=c.y+Math.floor(m/n.columns)*l;if(u.look==="failed"&&n.cell<an)for(let C=0;C<p;C+=1)d.push(()=>{a.fillStyle=i.back,a.fillRect(f+C*l-2,
k-2,an+2,an+2),a.fillStyle=i.failed,a.fillRect(f+C*l-1,k-1,an,an)});else n.cell>=6?(a.beginPath(),a.roundRect(f,k,n.cell,n.cell,n.cell>=10?3:1.5),a.fill(),u.look===
"failed"&&n.cell>=8&&nl(a,f,k,n.cell,i.back),u.aside&&ol(a,f,k,n.cell,i.back)):(a.fillRect(f,k,n.gap===0?p*l:n.cell,n.cell),u.aside&&n.cell>=4&&(a.fillStyle=i.back,
a.fillRect(f+1,k+1,n.cell-2,n.cell-2),a.fillStyle=i[u.look]));m+=p}}for(let u of d)u()}if(a.strokeStyle=i.focus,a.lineWidth=2,r!==null&&r.from.block===r.to.block){
let[c,d]=[Math.min(r.from.index,r.to.index),Math.max(r.from.index,r.to.index)];for(let u=c;u<=d&&d-c<4e3;u+=1)Ps(a,n,{block:r.from.block,index:u})}o!==null&&Ps(
a,n,o)}function Ps(e,n,o){let{x:r,y:s}=Do(n,o);e.strokeRect(r-1.5,s-1.5,n.cell+3,n.cell+3)}function nl(e,n,o,r,s){let a=r*.3;e.strokeStyle=s,e.lineWidth=r>=12?2:
1.4,e.beginPath(),e.moveTo(n+a,o+a),e.lineTo(n+r-a,o+r-a),e.moveTo(n+r-a,o+a),e.lineTo(n+a,o+r-a),e.stroke()}function ol(e,n,o,r,s){e.save(),e.beginPath(),e.rect(
n,o,r,r),e.clip(),e.strokeStyle=s,e.lineWidth=1.4;for(let a=-r;a<r;a+=4)e.beginPath(),e.moveTo(n+a,o+r),e.lineTo(n+a+r,o),e.stroke();e.restore()}function rl(e,n,o,r){
let s=n.left===0?o.y-10:o.y+Math.max(n.cell,14)/2,a=n.left===0?n.width-70:n.left-76;e.fillStyle=r.text,e.font="600 13px system-ui, sans-serif";let i=Bo(o.group.
name);for(;i.length>2&&e.measureText(i).width>a;)i=i.slice(0,-2)+"\u2026";e.fillText(i,0,s);let l=e.measureText(i).width+8;e.fillStyle=r.faint,e.font="13px syst\
em-ui, sans-serif",e.fillText(I(o.group.total),l,s)}var sl=200;function Oo(e){let n=e?.body;return typeof n!="object"||n===null?null:n.query_error??null}function qn({q:e,onQuery:n,error:o}){let r=ft(),s=J(null),[
a,i]=g(e),[l,c]=g(0),[d,u]=g(!1),[m,h]=g(-1),[p,f]=g([]),k=J(void 0),C=J(e);e!==C.current&&(C.current=e,a!==e&&i(e));let x=Bn(a,l).key,b=x===null?void 0:Dn[x]?.
by??(x.startsWith("extra.")?x:void 0);L(()=>{if(f([]),!d||b===void 0)return;let T=new AbortController;return X(`/corten/v1/fleet?by=${$(b)}`,T.signal).then(j=>f(
[...j.groups].sort((E,Y)=>Y.total-E.total)),()=>{}),()=>T.abort()},[b,d]);let v=T=>{window.clearTimeout(k.current),C.current=T.trim(),n(T.trim())},_=(T,j)=>{i(T),
c(j),h(-1),window.clearTimeout(k.current),k.current=window.setTimeout(()=>v(T),sl)},q=d?ls(a,l,p):[],y=T=>{let j=q[T];if(j===void 0)return;let E=cs(a,l,j);i(E.query),
c(E.caret),h(-1),j.done&&v(E.query),requestAnimationFrame(()=>{s.current?.focus(),s.current?.setSelectionRange(E.caret,E.caret)})},B=Oo(o);return t("div",{class:"\
query",children:[t("div",{class:"query-box",children:[t(R,{name:"search"}),t("input",{ref:s,id:"query",class:"query-input",role:"combobox","aria-label":"Filter \
nodes","aria-expanded":q.length>0,"aria-controls":`${r}-list`,"aria-activedescendant":m>=0?`${r}-${m}`:void 0,"aria-invalid":B!==null,autocomplete:"off",spellcheck:!1,
maxLength:1e3,placeholder:"Filter: state:failed class:gpu -maint:yes age>1h",value:a,onInput:T=>_(T.currentTarget.value,T.currentTarget.selectionStart??0),onSelect:T=>c(
T.currentTarget.selectionStart??0),onFocus:()=>u(!0),onBlur:()=>u(!1),onKeyDown:T=>{if(T.key==="ArrowDown")h(Math.min(m+1,q.length-1));else if(T.key==="ArrowUp")
h(Math.max(m-1,-1));else if(T.key==="Tab"&&m>=0)y(m);else if(T.key==="Enter")m>=0?y(m):(v(a),s.current?.blur(),document.getElementById("nodes")?.focus());else if(T.
key==="Escape")m>=0?h(-1):a!==""?(i(""),v("")):s.current?.blur();else return;T.preventDefault(),T.stopPropagation()}}),a!==""&&t("button",{type:"button",class:"\
icon-button","aria-label":"Clear the filter",onClick:()=>{i(""),v(""),s.current?.focus()},children:t(R,{name:"close"})})]}),t("ul",{class:"offers",id:`${r}-list`,
role:"listbox","aria-label":"Completions",hidden:q.length===0,children:q.map((T,j)=>t("li",{id:`${r}-${j}`,role:"option","aria-selected":j===m,class:"offer",onPointerDown:E=>{
E.preventDefault(),y(j)},children:[t("span",{children:T.label}),t("span",{class:"faint",children:T.about})]},T.label))}),B!==null&&t("p",{class:"query-wrong",role:"\
alert",children:[t("code",{children:[e.slice(0,B.start),t("mark",{children:e.slice(B.start,B.end)}),e.slice(B.end)]})," ",B.text,B.suggestion!==null&&t(w,{small:!0,
kind:"quiet",onClick:()=>v(e.slice(0,B.start)+(B.suggestion??"")+e.slice(B.end)),children:["Use ",B.suggestion]})]})]})}var al=new Set(["created","deleted","provision","error","maintenance","updated","warning","resumed"]),Io=e=>al.has(e.kind),Ns=[["resource_class","resource class"],
["driver","driver"],["conductor","conductor"],["conductor_group","conductor group"],["chassis","chassis"],["shard","shard"],["owner","owner"],["state","state"]];
function Rs(){let e=ie.value.get("q")??"",n=ie.value.get("by")??Po.value,o=ie.value.get("as")==="table",r=e===""?"":`&q=${$(e)}`,s=D(`/corten/v1/fleet?by=${$(n)}${r}`,
{on:Io,atMost:1e3,keep:!0}),a=D(`/corten/v1/failures?${r.slice(1)}`,{on:Io,atMost:1e3,every:3e4,keep:!0}),i=D("/corten/v1/work",{every:2e3}),l=D("/corten/v1/sta\
tus",{every:1e4});qe([{keys:"t",about:"map as a table, and back",run:()=>Q({as:o?null:"table"})},{keys:"/",about:"filter",run:()=>document.getElementById("query")?.
focus()}]);let c=s.data.value;if(c!==void 0&&c.total===0&&e==="")return t(il,{});let d=ce.value?.group_key?[...Ns,[`extra.${ce.value.group_key}`,ce.value.group_key]]:
Ns;return t("div",{class:"fleet",children:[t("h1",{class:"hidden",children:"Fleet"}),t("div",{class:"fleet-top",children:[t(P,{class:"needs",title:t(S,{children:[
"Needs a person",a.data.value!==void 0&&a.data.value.total>0&&t("span",{class:"count count-failed",children:I(a.data.value.total)})]}),children:t(z,{doc:a,lines:4,
children:u=>t(ll,{failures:u,status:l.data.value,filter:e})})}),t(P,{class:"under-way",title:t(S,{children:["Under way",i.data.value!==void 0&&t("span",{class:"\
count",children:I(i.data.value.total)})]}),actions:i.data.value!==void 0&&i.data.value.total>0?t("a",{class:"button button-quiet button-small",href:M(["nodes"],
{q:"state:working,waiting",sort:"provision_updated_at"}),children:"List"}):void 0,children:t(z,{doc:i,lines:4,children:u=>t(ul,{work:u})})})]}),t(P,{class:"map-\
panel",title:c===void 0?"Machines":pe(c.total,"machine"),actions:t(S,{children:[t("label",{class:"inline-label",children:["By"," ",t("select",{class:"select",value:n,
onChange:u=>{Po.value=u.currentTarget.value,Q({by:null})},children:d.map(([u,m])=>t("option",{value:u,children:m},u))})]}),t(w,{small:!0,kind:"quiet",pressed:o,
onClick:()=>Q({as:o?null:"table"}),children:"Table"}),t(ue,{commands:{corten:`corten fleet counts --by ${n}`,curl:re("GET",`/corten/v1/fleet?by=${n}${r}`)}})]}),
children:[t(qn,{q:e,onQuery:u=>Q({q:u}),error:s.error.value}),t(z,{doc:s,lines:2,children:u=>t(S,{children:[t(pl,{counts:u,q:e}),o?t(fl,{fleet:u,q:e}):t(hl,{by:n,
q:e}),u.left_out>0&&t("p",{class:"faint",children:[pe(u.left_out,"smaller group")," not shown."]})]})})]})]})}function il(){return t(U,{title:"No machines yet",
children:[t("p",{children:"Every machine of your racks will be here, with what it does and what it needs."}),t("p",{class:"row",children:[t("a",{class:"button b\
utton-main",href:M(["enrol"]),children:"Enrol machines"}),t("span",{class:"faint",children:["or try a rack of fake ones: ",t("code",{children:"corten demo"})]})]})]})}
function ll({failures:e,status:n,filter:o}){let r=(n?.problems??[]).filter(s=>s.code!=="failed_nodes");return e.causes.length===0&&r.length===0?t("div",{class:"\
all-well",children:[t(R,{name:"check"}),t("div",{children:[t("p",{class:"all-well-title",children:"Nothing needs a person"}),t("p",{class:"faint",children:"Fail\
ed, faulty and stuck machines appear here with their cause and what to do."})]})]}):t("ul",{class:"causes",children:[r.map(s=>t("li",{class:"cause",children:[t(
"span",{class:"cause-count cause-warn",children:t(R,{name:"warn"})}),t("div",{class:"cause-words",children:[t("p",{class:"cause-sentence",children:s.text}),t("p",
{class:"cause-advice",children:s.advice})]}),t("a",{class:"button button-small",href:M(["conductors"]),children:"Show"})]},s.code)),e.causes.slice(0,8).map(s=>t(
cl,{cause:s,filter:o},s.code)),e.causes.length>8&&t("li",{class:"faint",children:t("a",{href:M(["nodes"],{q:Je(o,"state:failed")}),children:pe(e.causes.length-8,
"more cause")})})]})}function cl({cause:e,filter:n}){let o=e.count===1?e.nodes[0]:void 0,r=o===void 0?M(["nodes"],{q:Je(n,e.q)}):M(["nodes",o.name??o.uuid]);return t(
"li",{class:"cause",children:[t("span",{class:"cause-count",children:[t(G,{look:"failed"})," ",I(e.count)]}),t("div",{class:"cause-words",children:[t("p",{class:"\
cause-sentence",children:e.sentence??e.example??"You may not see the cause."}),e.advice!==null&&t("p",{class:"cause-advice",children:e.advice}),t("p",{class:"ca\
use-nodes faint",children:[e.since!==null&&t(S,{children:["since ",t(Pe,{at:e.since})," "]}),e.nodes.slice(0,3).map(s=>t("a",{href:M(["nodes",s.name??s.uuid]),children:s.
name??s.uuid.slice(0,8)},s.uuid)),e.count>3&&t("span",{children:["and ",I(e.count-3)," more"]})]})]}),t("a",{class:"button button-small",href:r,"aria-label":o===
void 0?`List ${e.count} nodes: ${e.sentence??""}`:`Open ${o.name??o.uuid}`,children:o===void 0?"List":"Open"})]})}function ul({work:e}){return e.operations.length===
0?t(U,{title:"Nothing is under way",children:"Deployments, cleaning and inspections appear here while they run."}):t("ul",{class:"work",children:[e.operations.slice(
0,7).map(n=>t(dl,{operation:n},n.node)),e.total>7&&t("li",{class:"faint",children:["\u2026 ",I(e.total-7)," more"]})]})}function dl({operation:e}){let n=e.name??
e.node,{progress:o,waiting:r}=e,s=o!==null&&o.bytes!==null&&o.total!==null?Ze(o.bytes,o.total):null;return t("li",{class:"work-row",children:[t("a",{class:"work\
-name",href:M(["nodes",n]),children:[t(G,{look:e.look})," ",n]}),t("span",{class:"work-verb",children:e.verb??e.provision_state}),t("span",{class:`work-what${r?.
is_stuck===!0?" stuck":""}`,children:[r!==null?`waits ${xe(r.since)} for ${r.for}`:e.phase??e.step??e.provision_state,e.steps_total!==null&&e.steps_total>1&&` \xB7\
 step ${Math.min((e.steps_done??0)+1,e.steps_total)} of ${e.steps_total}`,o?.rate!==null&&o?.rate!==void 0&&` \xB7 ${Ne(o.rate)}/s`,o?.eta!==null&&o?.eta!==void 0&&
` \xB7 ${_e(o.eta)} left`]}),t("span",{class:"work-age",children:t(we,{at:e.started_at??e.state_since})}),s!==null&&t(tt,{value:s,label:`${n}: ${Math.round(s)} \
%`})]})}function pl({counts:e,q:n}){let o=Yt.filter(({look:r})=>e.looks[r]>0);return t("div",{class:"summary",children:[t("div",{class:"summary-bar","aria-hidde\
n":"true",children:o.map(({look:r})=>t("span",{class:`fill-${r}`,style:{flexGrow:e.looks[r]}},r))}),t("ul",{class:"summary-list",children:[Yt.map(({look:r,word:s})=>t(
"li",{children:t("a",{class:`tally look-${r}${e.looks[r]===0?" tally-none":""}`,href:M(["nodes"],{q:Je(n,`state:${r}`)}),children:[t(G,{look:r})," ",t("span",{class:"\
tally-word",children:s})," ",t("strong",{children:I(e.looks[r])})]})},r)),e.maintenance>0&&t("li",{children:t("a",{class:"tally",href:M(["nodes"],{q:Je(n,"maint\
:yes")}),children:[t("span",{class:"chip chip-hatch",children:"maintenance"})," ",t("strong",{children:I(e.maintenance)})]})})]})]})}function fl({fleet:e,q:n}){
return t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"group"}),t("th",
{scope:"col",class:"num",children:"machines"}),Yt.map(({look:o,word:r})=>t("th",{scope:"col",class:"num",children:r},o)),t("th",{scope:"col",class:"num",children:"\
maintenance"})]})}),t("tbody",{children:e.groups.map(o=>t("tr",{children:[t("th",{scope:"row",children:t("a",{href:M(["nodes"],{q:Je(n,o.q)}),children:Bo(o.name)})}),
t("td",{class:"num",children:I(o.total)}),Yt.map(({look:r})=>t(ml,{look:r,count:o.looks[r],to:Je(n,o.q,`state:${r}`)},r)),t("td",{class:"num",children:o.maintenance===
0?t("span",{class:"faint",children:"0"}):I(o.maintenance)})]},o.q))})]})})}function ml({look:e,count:n,to:o}){return t("td",{class:"num",children:n===0?t("span",
{class:"faint",children:"0"}):t("a",{class:`look-${e}`,href:M(["nodes"],{q:o}),children:I(n)})})}function hl({by:e,q:n}){let o=Et(void 0),[r,s]=g(null);return L(
()=>{let a=null,i,l=0,c=!1,d=async()=>{i=void 0,l=Date.now();try{let m=await Mt(`/corten/v1/fleet/map?by=${$(e)}&q=${$(n)}`,{headers:a===null?{}:{"If-None-Match":a}});
if(c||m.status===304)return;a=m.headers.get("etag"),o.value=await m.json(),Nt(o.value.cursor),s(null)}catch(m){c||s(Ce(m))}},u=nt(m=>{i!==void 0||!m.some(Io)||(i=
window.setTimeout(()=>{d()},Math.max(0,l+2e3-Date.now())))});return d(),()=>{c=!0,u(),window.clearTimeout(i)}},[e,n,yt.value,Re.value]),r!==null&&o.value===void 0?
t(Ee,{error:r}):o.value===void 0?t($e,{lines:5}):o.value.total===0?t(U,{title:"No machine matches",children:"Change the filter, or clear it."}):t(As,{map:o.value,
q:n})}function Ls(){let e=ce.value,[n,o]=g("");if(e===void 0)return t($e,{lines:6});let r=e.rules.filter(s=>s.includes(n.trim()));return t("div",{class:"stack",children:[
t("div",{class:"page-head",children:t("h1",{children:Ln(e)})}),t("div",{class:"cards",children:[t(P,{title:"Who I am",level:3,children:t(ge,{rows:[["Sign-in",e.
mode],["User",e.user_name??e.user],["Project",e.project_name??e.project],["System scope",e.system_scope],["Roles",e.roles.join(", ")],["Session ends",e.session===
null?null:t(Pe,{at:e.session.expires_at})],["Service",`version ${e.version}, API up to ${e.api_version}`]]})}),t(P,{title:"This browser",level:3,children:t("div",
{class:"form",children:[t("div",{class:"segmented",role:"radiogroup","aria-label":"Theme",children:["light","dark","system"].map(s=>t("label",{children:[t("inpu\
t",{type:"radio",name:"theme",checked:Ue.value===s,onChange:()=>Ot(s)}),t("span",{children:s==="system"?"as the system":s})]},s))}),t("label",{class:"check-line",
children:[t("input",{type:"checkbox",checked:Ie.value,onChange:s=>Ie.value=s.currentTarget.checked})," single letters are keys"]}),t("p",{children:t("a",{href:"\
/ui/licences.txt",target:"_blank",rel:"noopener",children:"Licences of what is in this page"})})]})})]}),t(P,{title:`Rules granted \xB7 ${r.length}`,level:3,actions:t(
"input",{class:"input filter","aria-label":"Filter rules",placeholder:"Filter",value:n,onInput:s=>o(s.currentTarget.value)}),children:[e.is_open&&t("p",{class:"\
faint",children:"In this mode everybody who gets in may do everything."}),r.length===0?t(U,{title:"No rule matches"}):t("ul",{class:"rules",children:r.map(s=>t(
"li",{children:t("code",{children:s})},s))})]})]})}function Ke({label:e,choices:n,kind:o="plain",name:r,right:s}){let[a,i]=g(!1),l=J(null),c=J(null),d=()=>[...l.current?.querySelectorAll('[role^="menuitem"]')??[]];
L(()=>{if(!a)return;d()[0]?.focus();let h=p=>{p.target instanceof Node&&l.current?.contains(p.target)===!1&&i(!1)};return document.addEventListener("pointerdown",
h),()=>document.removeEventListener("pointerdown",h)},[a]);let u=()=>{i(!1),c.current?.focus()},m=h=>{let p=d(),f=p.indexOf(document.activeElement);p[(f+h+p.length)%
p.length]?.focus()};return t("div",{class:"menu",ref:l,children:[t("button",{ref:c,type:"button",class:`button button-${o}`,"aria-haspopup":"menu","aria-expande\
d":a,"aria-label":r,onClick:()=>i(!a),onKeyDown:h=>{h.key==="ArrowDown"&&(h.preventDefault(),i(!0))},children:[e," ",t(R,{name:"down"})]}),a&&t("div",{class:`me\
nu-list${s===!0?" menu-right":""}`,role:"menu","aria-label":r??"Choices",onKeyDown:h=>{if(h.stopPropagation(),h.key==="Escape"||h.key==="Tab")u();else if(h.key===
"ArrowDown"||h.key==="j")m(1);else if(h.key==="ArrowUp"||h.key==="k")m(-1);else if(h.key==="Home")d()[0]?.focus();else if(h.key==="End")d().at(-1)?.focus();else
return;h.preventDefault()},children:n.map(h=>t("button",{type:"button",role:h.checked===void 0?"menuitem":"menuitemcheckbox","aria-checked":h.checked,"aria-disa\
bled":h.why!==null&&h.why!==void 0,tabIndex:-1,class:`menu-item${h.danger===!0?" menu-danger":""}`,onClick:()=>{h.why!==null&&h.why!==void 0||(u(),h.onPick())},
children:[t("span",{class:"menu-label",children:[h.checked!==void 0&&t("span",{class:"menu-check",children:h.checked?t(R,{name:"check"}):null}),h.label]}),(h.why??
h.about)!==void 0&&(h.why??h.about)!==null&&t("span",{class:"menu-about",children:h.why??h.about})]},h.label))})]})}function Ds({node:e,me:n,reload:o}){let[r,s]=g(null),[a,i]=g(null),l=e.name??e.uuid,c=Qr(e.provision_state),d=st.filter(f=>!c.includes(f));L(()=>i(null),[e.provision_state,
e.power_state,e.maintenance,e.reservation]);let u=async(f,k)=>{s(null),i(f);try{await k(C=>W(`Waiting: ${C.message}`)),W(`${f}: asked for.`),o()}catch(C){i(null),
K(`${f} was refused`,C)}},m=f=>{f.asks===!0?Q({do:f.verb}):f.destroys===!0?s({kind:"verb",action:f}):u(f.label,k=>je(e.uuid,{target:f.target},k))},h=ie.value.get(
"do");L(()=>{let f=st.find(C=>C.verb===h);if(f===void 0||f.asks===!0)return;Q({do:null},!0);let k=Lt(e,f,n);k===null?m(f):W(`Not now: ${k}.`)},[h]);let p=te(n,Me.
power)??(e.reservation!==null?`${e.reservation} works on it`:null);return t("div",{class:"verbs",children:[c.map(f=>t(w,{kind:Zr(e.provision_state,f.verb)?"main":
f.destroys===!0?"danger":"plain",why:Lt(e,f,n),onClick:()=>m(f),children:[f.label,f.asks===!0||f.destroys===!0?"\u2026":""]},f.verb)),t(Ke,{label:"Power",choices:Yr.
map(f=>({label:f.label,why:p,danger:"destroys"in f,onPick:()=>"destroys"in f&&e.provision_state==="active"?s({kind:"power",target:f.target,label:f.label}):void u(
f.label,k=>To(e.uuid,f.target,k))}))}),t(Ke,{label:"More",choices:[{label:e.maintenance?"End maintenance":"Maintenance\u2026",why:te(n,e.maintenance?Me.resume:Me.
maintain),about:e.maintenance?"let the service work on it again":"keep the service from working on it",onPick:()=>e.maintenance?void u("End of maintenance",()=>$o(
e.uuid,!1,"")):s({kind:"maintenance"})},{label:"Forget this node\u2026",danger:!0,why:te(n,Me.remove),about:"delete it from the service",onPick:()=>s({kind:"rem\
ove"})},...d.map(f=>({label:f.label,why:Lt(e,f,n),about:f.about,onPick:()=>m(f)}))]}),a!==null&&t("span",{class:"asked",role:"status",children:[a,": asked for \u2026"]}),
r?.kind==="verb"&&t(rt,{title:`${r.action.label} ${l}`,text:t("p",{children:["It will ",r.action.about,". What is on its disks is lost."]}),word:l,action:r.action.
label,onClose:()=>s(null),onYes:()=>{u(r.action.label,f=>je(e.uuid,{target:r.action.target},f))},children:[t(ot,{label:"corten",text:`corten node ${r.action.command}\
 ${he(l)}`}),t(ot,{label:"curl",text:re("PUT",`/v1/nodes/${$(e.uuid)}/states/provision`,{target:r.action.target})})]}),r?.kind==="power"&&t(rt,{title:`${r.label}\
: ${l}`,text:t("p",{children:"The machine is in use. Whatever runs on it stops at once."}),word:l,action:r.label,onClose:()=>s(null),onYes:()=>{u(r.label,f=>To(
e.uuid,r.target,f))}}),r?.kind==="maintenance"&&t(gl,{name:l,onClose:()=>s(null),onYes:f=>{u("Maintenance",()=>$o(e.uuid,!0,f))}}),r?.kind==="remove"&&t(rt,{title:`\
Forget ${l}`,text:t("p",{children:"The service forgets the machine with its ports and its history. The machine itself stays as it is."}),word:l,action:"Forget",
onClose:()=>s(null),onYes:()=>{s(null),O("DELETE",`/v1/nodes/${$(e.uuid)}`).then(()=>{W(`${l} is forgotten.`),le(M(["nodes"]))},f=>K(`${l} could not be deleted`,
f))}})]})}function gl({name:e,onClose:n,onYes:o}){let[r,s]=g("");return t(oe,{title:`Maintenance of ${e}`,onClose:n,foot:t(S,{children:[t(w,{onClick:n,children:"\
Cancel"}),t(w,{kind:"main",onClick:()=>o(r),children:"Begin maintenance"})]}),children:[t("p",{children:"The service does not work on the machine until maintena\
nce ends."}),t("form",{onSubmit:a=>{a.preventDefault(),o(r)},children:t(H,{label:"Reason",hint:"Others see it.",children:a=>t("input",{id:a,class:"input",autofocus:!0,
value:r,onInput:i=>s(i.currentTarget.value)})})})]})}var qo=["name","uuid","provision_state","target_provision_state","provision_updated_at","power_state","maintenance","fault","resource_class","driver","conductor",
"conductor_group","owner","lessee","instance_uuid","cause"];function vl(e){let n=e==null?"":String(typeof e=="object"?e.sentence??"":e),o=/^[=+\-@\t\r]/.test(n)?
`'${n}`:n;return/[",\n\r]/.test(o)?`"${o.replaceAll('"','""')}"`:o}function bl(e){return e.map(n=>qo.map(o=>vl(n[o])).join(",")+`\r
`).join("")}async function Bs(e,n){try{let o=[qo.join(",")+`\r
`],r=0;for(;;){let s=await X(`/corten/v1/nodes?q=${$(e)}&sort=${$(n)}&limit=1000&offset=${r}&fields=${qo.join(",")}`);if(o.push(bl(s.nodes)),r+=s.nodes.length,s.
nodes.length===0||r>=s.total)break}ln("nodes.csv",new Blob(o,{type:"text/csv"})),W(`${r} rows saved.`)}catch(o){K("The file could not be made",o)}}function ln(e,n){
let o=document.createElement("a");o.href=URL.createObjectURL(n),o.download=e,o.click(),window.setTimeout(()=>URL.revokeObjectURL(o.href),1e4)}function Os({node:e}){let n=`/corten/v1/nodes/${$(e.uuid)}/recorder`,o=D(n,{every:5e3}),[r,s]=g(""),[a,i]=g(!1),l=e.name??e.uuid;return t("div",{class:"stack",children:[
t(_l,{uuid:e.uuid}),t(P,{title:"Flight recorder",actions:t(S,{children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:a,onChange:c=>i(
c.currentTarget.checked)})," failures only"]}),t("input",{class:"input filter","aria-label":"Filter exchanges",placeholder:"Filter",value:r,onInput:c=>s(c.currentTarget.
value)}),t(w,{small:!0,why:o.data.value===void 0||o.data.value.exchanges.length===0?"nothing was recorded":null,onClick:()=>{let c=o.data.value;if(c===void 0)return;
let d=[c.recording,...c.exchanges].map(u=>JSON.stringify(u)+`
`);ln(`${l}.jsonl`,new Blob(d,{type:"application/jsonl"}))},children:"Export"}),t(ue,{commands:{corten:`corten node recorder show ${he(l)}`,curl:re("GET",n)}})]}),
children:t(z,{doc:o,lines:6,children:c=>t(yl,{all:c.exchanges,filter:r,bad:a})})})]})}function It(e){return e.failure!==void 0&&e.failure!==null}function yl({all:e,
filter:n,bad:o}){let[r,s]=g(null),a=n.toLowerCase(),i=e.filter(l=>(!o||It(l))&&(a===""||JSON.stringify(l).toLowerCase().includes(a))).sort((l,c)=>Number(It(c))-
Number(It(l))||c.last.localeCompare(l.last)).slice(0,300);return e.length===0?t(U,{title:"Nothing was said to its BMC yet",children:"Requests to the BMC and the\
ir answers appear here, without passwords."}):i.length===0?t(U,{title:"No exchange matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[
t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"last"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"for"}),t("th",{scope:"\
col",class:"num",children:"took"}),t("th",{scope:"col",class:"num",children:"times"}),t("th",{scope:"col"})]})}),t("tbody",{children:i.map((l,c)=>t(S,{children:[
t("tr",{children:[t("td",{children:t(Pe,{at:l.last})}),t("td",{class:It(l)?"wrong":"",children:[It(l)&&t(G,{look:"failed"})," ",l.summary??JSON.stringify(l.question),
It(l)&&t(S,{children:[" \u2014 ",l.failure]})]}),t("td",{children:l.operation??""}),t("td",{class:"num",children:[l.took_ms," ms"]}),t("td",{class:"num",children:l.
count}),t("td",{children:t(w,{small:!0,kind:"quiet",expanded:r===l,onClick:()=>s(r===l?null:l),children:r===l?"Less":"All of it"})})]}),r===l&&t("tr",{children:t(
"td",{colSpan:6,children:t("pre",{class:"json",children:JSON.stringify({question:l.question,answer:l.answer??null},null,2)})})})]},`${l.first}-${c}`))})]})})}function _l({
uuid:e}){let[n,o]=g({busy:!1,error:null,sensors:null}),r=async()=>{o({...n,busy:!0,error:null});try{let s=await X(`/corten/v1/nodes/${$(e)}/sensors`);o({busy:!1,
error:null,sensors:s.sensors})}catch(s){o({busy:!1,error:Ce(s),sensors:null})}};return t(P,{title:"Sensors",actions:t(w,{small:!0,busy:n.busy,onClick:()=>{r()},
children:"Read now"}),children:[n.error!==null&&t(Ee,{error:n.error}),n.error===null&&n.sensors===null&&t("p",{class:"faint",children:"The BMC is asked when you\
 press the button."}),n.sensors!==null&&t("div",{class:"scroll-x",children:t("table",{class:"table",children:t("tbody",{children:Object.entries(n.sensors).flatMap(
([s,a])=>Object.entries(a).map(([i,l])=>t("tr",{children:[t("td",{class:"faint",children:s}),t("th",{scope:"row",children:i}),t("td",{children:wl(l)})]},s+i)))})})})]})}
function wl(e){let n=e["Sensor Reading"]??e.reading??e.reading_celsius??e.reading_rpm,o=e.Units??e.reading_units;return n!=null?`${String(n)}${o===void 0?"":` ${String(
o)}`}`:Object.entries(e).filter(([,r])=>typeof r!="object"&&r!==null).slice(0,4).map(([r,s])=>`${r}: ${String(s)}`).join(", ")}var Fo=["firmware","address","loader","script","kernel","ramdisk","agent"],kl={nothing_seen:"firmware",not_ours:"firmware",nothing_to_boot:"firmware",no_address:"\
address",other_server:"address",offer_not_taken:"address",wrong_firmware:"loader",loader_not_asked:"loader",loader_missing:"loader",loader_stalled:"loader",loader_does_not_run:"\
loader",script_not_asked:"script",script_missing:"script",config_not_asked:"script",config_missing:"script",kernel_not_asked:"kernel",kernel_missing:"kernel",file_stalled:"\
kernel",ramdisk_not_asked:"ramdisk",ramdisk_missing:"ramdisk",agent_silent:"agent"},Is=new Set(["booted","from_disk","under_way"]);function qs({node:e,busy:n}){
let o=D(`/corten/v1/nodes/${$(e.uuid)}/boot-log`,{every:n?2e3:void 0}),r=o.error.value;return r!==void 0&&o.data.value===void 0&&r.status<500&&r.status!==403?t(
U,{title:"Nothing is known about how it boots",children:r.message}):t(z,{doc:o,lines:6,children:s=>t(xl,{log:s})})}function xl({log:e}){let{cause:n,finding:o,advice:r}=e.
diagnosis,s=kl[n],a=s===void 0?n==="booted"?Fo.length:-1:Fo.indexOf(s);return t("div",{class:"stack",children:[t("section",{class:`panel matter${Is.has(n)?"":" \
matter-bad"}`,"aria-label":"Finding",children:[t("div",{class:"matter-mark",children:Is.has(n)?t(R,{name:"check"}):t(G,{look:"failed"})}),t("div",{class:"matter\
-words",children:[t("h2",{class:"matter-cause",children:o}),r!==""&&t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",r]})]})]}),t(
"ol",{class:"ladder","aria-label":"How far it came",children:Fo.map((i,l)=>t("li",{class:`rung ${l<a?"rung-done":l===a?"rung-stop":""}`,children:[l<a?t(R,{name:"\
check"}):l===a?t(G,{look:"failed"}):t(G,{look:"ready"})," ",i]},i))}),t(P,{title:`Events \xB7 ${e.events.length}`,children:e.events.length===0?t("p",{class:"fai\
nt",children:"The machine has not asked for anything."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[
t("th",{scope:"col",children:"at"}),t("th",{scope:"col",children:"port"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",class:"num",children:"times"})]})}),
t("tbody",{children:e.events.map((i,l)=>t("tr",{children:[t("td",{children:t(Pe,{at:i.at})}),t("td",{children:t("code",{children:i.port})}),t("td",{children:i.text}),
t("td",{class:"num",children:i.times})]},l))})]})})})]})}var Wo="corten.reloaded";async function Fs(e){try{let n=await e();return sessionStorage.removeItem(Wo),n}catch(n){throw sessionStorage.getItem(Wo)===null&&(sessionStorage.
setItem(Wo,"yes"),location.reload()),new Error("A part of the page could not be loaded; the service may be of another version now. Load the page again.",{cause:n})}}function js(e){let{node:n,me:o,reload:r}=e,[s,a]=g(!1),i=n.name??n.uuid,l=te(o,Me.switchConsole),c=async u=>{a(!0);try{await O("PUT",`/v1/nodes/${$(n.uuid)}/sta\
tes/console`,{enabled:u}),W(u?"The console is being switched on.":"The console is being switched off."),r()}catch(m){K("The console could not be switched",m)}a(
!1)};if(!n.console_enabled)return t(U,{title:"The console is off",children:[t("p",{children:["The console interface of ",i," is ",t("code",{children:String(n.console_interface)}),
"."]}),t(w,{kind:"main",why:l,busy:s,onClick:()=>{c(!0)},children:"Switch it on"}),t("code",{children:["corten node console enable ",he(i)]})]});let d=te(o,Me.console);
return d!==null?t(U,{title:"You may not use the console",children:d}):_n(Sl,{...e,key:n.uuid,onOff:()=>{c(!1)},why:l})}function Ws(e){return`\r
\x1B[0;7m ${[...e].filter(o=>o>=" "&&o!=="\x7F").join("")} \x1B[0m\r
`}function Sl({node:e,onOff:n,why:o}){let r=J(null),s=J(null),a=J(null),i=J(null),l=J(0),[c,d]=g("connecting"),[u,m]=g(!1),[h,p]=g(!1),[f,k]=g(!1),[C,x]=g(null),
[b,v]=g(null),[_,q]=g(""),[y,B]=g(0),T=e.name??e.uuid,j=A=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(new TextEncoder().encode(A))};L(()=>{let A=!1,
ee;return Fs(()=>import("./terminal-4PUH3NOJ.js")).then(se=>{if(A||r.current===null)return;let ye=se.terminal(r.current,nn.value,f);a.current={tools:se,...ye},
ye.terminal.onData(j),ye.terminal.attachCustomKeyEventHandler(ve=>ve.type!=="keydown"||!ve.ctrlKey||!ve.altKey||ve.key!=="Escape"?!0:(ye.terminal.blur(),s.current?.
querySelector(".console-bar button")?.focus(),!1)),ee=new ResizeObserver(()=>ye.fit.fit()),ee.observe(r.current),ye.fit.fit(),ye.terminal.focus(),B(ve=>ve+1)},se=>x(
Ce(se))),()=>{A=!0,ee?.disconnect(),a.current?.terminal.dispose(),a.current=null}},[f]),L(()=>{let A=a.current;if(A===null)return;let ee=!1;d("connecting"),x(null);
let se=location.protocol==="https:"?"wss":"ws",ye=`/corten/v1/nodes/${$(e.uuid)}/console?mode=${h?"read":"write"}`,ve=new WebSocket(`${se}://${location.host}${ye}`,
["corten.console",`corten.key.${uo()}`]);ve.binaryType="arraybuffer",i.current=ve;let pn=!1;return ve.onopen=()=>{pn=!0,d("open")},ve.onmessage=Ve=>{if(Ve.data instanceof
ArrayBuffer){A.terminal.write(new Uint8Array(Ve.data));return}let De=JSON.parse(String(Ve.data));De.type==="writer"?m(De.writer===!0):De.type==="lost"?A.terminal.
write(Ws(`${De.bytes??0} characters were lost here`)):De.type==="ended"&&A.terminal.write(Ws(`The console ended: ${De.reason??""}`))},ve.onclose=()=>{ee||(d("en\
ded"),m(!1),pn||Cl(ye).then(Ve=>!ee&&x(Ve)))},()=>{ee=!0,ve.close()}},[y,h,e.uuid]);let E=A=>{nn.value=Math.max(9,Math.min(28,nn.value+A));let ee=a.current;ee!==
null&&(ee.terminal.options.fontSize=nn.value,ee.fit.fit())},Y=A=>{i.current?.readyState===WebSocket.OPEN&&i.current.send(JSON.stringify({type:A})),a.current?.terminal.
focus()},ne=c!=="open"?"the console is not connected":null;return t("div",{class:"console",ref:s,children:[t("div",{class:"console-bar",role:"toolbar","aria-lab\
el":"Console",children:[t("span",{class:`console-state console-${c}`,role:"status",children:c==="connecting"?"connecting \u2026":c==="ended"?"not connected":h?"\
you watch":u?"you type":"another user types"}),c==="ended"&&t(w,{small:!0,kind:"main",onClick:()=>B(y+1),children:"Connect"}),!u&&!h&&c==="open"&&t(w,{small:!0,
onClick:()=>Y("take_over"),children:"Take over"}),t(w,{small:!0,kind:"quiet",why:ne??(u?null:"you do not type"),onClick:()=>Y("break"),children:"Break"}),t(w,{small:!0,
kind:"quiet",pressed:h,onClick:()=>p(!h),children:"Read only"}),t(w,{small:!0,kind:"quiet",pressed:f,onClick:()=>k(!f),label:"Text mode, for screen readers",children:"\
Text mode"}),t(w,{small:!0,kind:"quiet",label:"A\u2212: smaller text",onClick:()=>E(-1),children:"A\u2212"}),t(w,{small:!0,kind:"quiet",label:"A+: larger text",
onClick:()=>E(1),children:"A+"}),t("form",{class:"console-find",onSubmit:A=>{A.preventDefault();let ee=a.current;if(ee===null||_==="")return;let se=ee.tools.find(
ee.terminal,_,l.current===0?ee.terminal.buffer.active.length:l.current);se<0?W("Not found."):l.current=se},children:t("input",{class:"input filter","aria-label":"\
Search the output",placeholder:"Search",value:_,onInput:A=>{l.current=0,q(A.currentTarget.value)}})}),t("span",{class:"spring"}),t(w,{small:!0,kind:"quiet",onClick:()=>a.
current!==null&&ln(`${T}.txt`,new Blob([a.current.tools.textOf(a.current.terminal)],{type:"text/plain"})),children:"Save"}),t(w,{small:!0,kind:"quiet",onClick:()=>{
s.current?.requestFullscreen?.()},children:"Full screen"}),t(ue,{commands:{corten:`corten node console ${he(T)}`,curl:`# a WebSocket: ${location.host}/corten/v1\
/nodes/${e.uuid}/console`}}),t(w,{small:!0,kind:"quiet",why:o,onClick:n,children:"Switch off"})]}),C!==null&&t(Ee,{error:C}),t("div",{class:"console-screen",ref:r,
onPasteCapture:A=>{let ee=A.clipboardData?.getData("text")??"";/[\r\n]/.test(ee.trimEnd())&&(A.preventDefault(),A.stopPropagation(),v(ee))}}),t("p",{class:"fain\
t console-hint",children:[t("kbd",{children:"Ctrl"})," ",t("kbd",{children:"Alt"})," ",t("kbd",{children:"Esc"})," gives the keyboard back to the page."]}),b!==
null&&t(oe,{title:"Paste several lines?",onClose:()=>v(null),foot:t(S,{children:[t(w,{onClick:()=>v(null),children:"Cancel"}),t(w,{kind:"main",onClick:()=>{a.current?.
terminal.paste(b),v(null)},children:"Paste"})]}),children:[t("p",{children:"Each line may run a command on the machine."}),t("pre",{class:"json",children:b})]})]})}
async function Cl(e){try{await O("GET",e)}catch(n){let o=Ce(n);if(o.status!==426)return o}return Ce(new Error("The console cannot be joined now: the machine or \
its BMC does not offer it."))}function Us({plan:e,hint:n,wrong:o,onHint:r}){let s=e?.disks??null;return t("fieldset",{class:"choice",children:[t("legend",{children:"Disk"}),s===null?t("p",{class:"\
faint",children:"The machine was not inspected, so its disks are not known. Without a hint the service takes the smallest disk that fits."}):t("div",{class:"dis\
ks",children:s.map(a=>{let i=a.hint===null?null:JSON.stringify(a.hint);return t("label",{class:`disk${a.fits===!0?" disk-fits":""}`,children:[t("input",{type:"r\
adio",name:"disk",checked:i!==null&&i===n,disabled:i===null,onChange:()=>i!==null&&r(i)}),t("span",{children:[t("strong",{children:a.name.replace("/dev/","")}),
" ",Ne(a.size)," ",a.rotational===!0?"spinning":a.rotational===!1?"SSD":""," ",t("span",{class:"faint",children:a.model??""}),a.fits===!0&&t("span",{class:"chip",
children:"the hint means this one"})]})]},a.name)})}),t(H,{label:"Root device hint",error:o??e?.root_device?.error,hint:"Empty: the service chooses.",children:a=>t(
"input",{id:a,class:"input",spellcheck:!1,placeholder:'{"size": ">= 900"}',value:n,onInput:i=>r(i.currentTarget.value)})})]})}function Hs({plan:e,error:n,asked:o,
changes:r,ident:s}){return t("section",{class:`plan${o?" plan-old":""}`,"aria-label":"Plan","aria-busy":o,children:[t("h3",{children:"Plan"}),e===null&&n===null&&
t($e,{lines:3}),n!==null&&t("p",{class:"wrong",children:n.message}),e!==null&&t(S,{children:[t("p",{class:e.is_accepted?"good":"wrong",children:[e.is_accepted?t(
R,{name:"check"}):t(G,{look:"failed"})," ",e.is_accepted?"accepted":e.refusal?.text??"refused"]}),e.states.length>0&&t("p",{class:"plan-states",children:e.states.
map((a,i)=>t("span",{children:[i>0&&" \u2192 ",a]},i))}),e.steps.length>0&&t("ol",{class:"plan-steps",children:e.steps.map((a,i)=>t("li",{children:[a.interface,
".",a.step," ",t("span",{class:"faint",children:["(",a.source,")"]})]},i))}),e.more_steps!==null&&t("p",{class:"faint",children:e.more_steps}),(e.validation??[]).
filter(a=>a.result===!1).map(a=>t("p",{class:"wrong",children:[t(G,{look:"failed"})," ",a.interface,": ",a.reason," ",t("a",{href:M(["nodes",s],{tab:"settings"}),
children:"set it"})]},a.interface))]}),r.length>0&&t("p",{class:"faint",children:["Before that, ",r.length===1?"one field of the node is written":`${r.length} f\
ields of the node are written`,": ",r.map(a=>a.path.slice(1)).join(", "),". The plan takes the node as it is now."]})]})}var Tl=400;function Js({action:e,node:n,me:o,onClose:r,reload:s}){let a=n.instance_info,i=N=>typeof a[N]=="string"?a[N]:"",l=i("image_os_hash_value")!==""?`${i(
"image_os_hash_algo")}:${i("image_os_hash_value")}`:i("image_checksum"),[c,d]=g(i("image_source")),[u,m]=g(l===""&&i("image_source")!==""?"none":/^\w+:\/\//.test(
l)?"file":"checksum"),[h,p]=g(l),[f,k]=g(JSON.stringify(n.properties.root_device??{})==="{}"?"":JSON.stringify(n.properties.root_device)),[C,x]=g("none"),[b,v]=g(
""),[_,q]=g(""),[y,B]=g(""),[T,j]=g(""),[E,Y]=g(""),[ne,A]=g({plan:null,error:null,asked:!0}),[ee,se]=g(!1),ye=n.name??n.uuid,ve=e.verb==="deploy"||e.verb==="re\
build",pn=ve||e.verb==="clean"||e.verb==="service",Ve=D(e.verb==="clean"||e.verb==="service"?"/v1/runbooks":null),De=jo(_),qt=jo(f===""?"{}":f),Zo=_!==""&&!Array.
isArray(De)?'Steps are a JSON list, such as [{"interface": "deploy", "step": "\u2026", "args": {}}].':null,Xo=f!==""&&(typeof qt!="object"||qt===null)?'Hints ar\
e a JSON object, such as {"wwn": "0x\u2026"}.':null,$a=()=>{if(!(!ve||C==="none"||b===""))return C==="user data"?{user_data:b}:C==="JSON"?jo(b)??void 0:b},fn=()=>{
let N={target:e.target},Z=$a();return Z!==void 0&&(N.configdrive=Z),y!==""?N.runbook=y:Array.isArray(De)&&(De.length>0||e.verb==="clean"||e.verb==="service")&&(N[e.
verb==="clean"?"clean_steps":e.verb==="service"?"service_steps":"deploy_steps"]=De),e.verb==="rescue"&&(N.rescue_password=T),N},Ea=()=>{if(!ve)return[];let N=[],
Z=(Un,Hn)=>{i(Un)!==Hn&&N.push(Hn===""?{op:"remove",path:`/instance_info/${Un}`}:{op:"add",path:`/instance_info/${Un}`,value:Hn})};Z("image_source",c);let[lt,Na]=$l(
h);u==="checksum"&&lt!==null?(Z("image_os_hash_algo",lt),Z("image_os_hash_value",Na),Z("image_checksum","")):(Z("image_checksum",u==="none"?"":h),Z("image_os_ha\
sh_algo",""),Z("image_os_hash_value",""));let tr=n.properties.root_device;return f===""&&tr!==void 0?N.push({op:"remove",path:"/properties/root_device"}):f!==""&&
qt!==null&&JSON.stringify(tr)!==JSON.stringify(qt)&&N.push({op:"add",path:"/properties/root_device",value:qt}),N},er=JSON.stringify(fn());L(()=>{A(Z=>({...Z,asked:!0}));
let N=window.setTimeout(()=>{O("POST",`/corten/v1/nodes/${$(n.uuid)}/plan`,JSON.parse(er)).then(Z=>A({plan:Z,error:null,asked:!1}),Z=>A({plan:null,error:Ce(Z),asked:!1}))},
Tl);return()=>window.clearTimeout(N)},[er,n.updated_at]);let Ft=Ea(),Ma=Lt(n,e,o)??Zo??Xo??(e.verb==="rescue"&&T===""?"a password is missing":null)??((e.verb===
"clean"||e.verb==="service")&&_===""&&y===""?"steps or a runbook are missing":null)??(e.destroys===!0&&E!==ye?`type ${ye} first`:null),Pa=async()=>{se(!0);try{Ft.
length>0&&await Dt(n.uuid,Ft),await je(n.uuid,fn(),N=>W(`Waiting: ${N.message}`)),c!==""&&(In.value=[c,...In.value.filter(N=>N!==c)].slice(0,8)),W(`${e.label}: \
asked for.`),s(),r()}catch(N){K(`${e.label} was refused`,N),s()}se(!1)},Aa=[...Ft.length>0?[`corten node set ${he(ye)}${Ft.filter(N=>N.op==="add").map(N=>` ${N.
path.startsWith("/properties/")?"--property":"--instance-info"} ${he(`${N.path.split("/")[2]??""}=${typeof N.value=="string"?N.value:JSON.stringify(N.value)}`)}`).
join("")}`]:[],`corten node ${e.command} ${he(ye)}`].join(" && ");return t(oe,{wide:!0,title:`${e.label} ${ye}`,onClose:r,foot:t(S,{children:[t("span",{class:"s\
pring"}),t(w,{onClick:r,children:"Cancel"}),t(w,{kind:e.destroys===!0?"danger":"main",why:Ma,busy:ee,onClick:()=>{Pa()},children:e.label})]}),children:t("div",{
class:"form",children:[ve&&t(S,{children:[t(H,{label:"Image",hint:"Address of a disk image, or the id of one in Glance.",children:(N,Z)=>t(S,{children:[t("input",
{id:N,class:"input",list:"lately",autofocus:!0,spellcheck:!1,"aria-describedby":Z,placeholder:"https://images.example/debian-13.qcow2",value:c,onInput:lt=>d(lt.
currentTarget.value.trim())}),t("datalist",{id:"lately",children:In.value.map(lt=>t("option",{value:lt},lt))})]})}),t("fieldset",{class:"choice",children:[t("le\
gend",{children:"Checksum"}),t("div",{class:"segmented",children:["checksum","file","none"].map(N=>t("label",{children:[t("input",{type:"radio",name:"sum",checked:u===
N,onChange:()=>m(N)}),t("span",{children:N==="checksum"?"value":N==="file"?"checksum file":"none (not advised)"})]},N))}),u!=="none"&&t("input",{class:"input","\
aria-label":u==="file"?"Address of the checksum file":"Checksum",spellcheck:!1,placeholder:u==="file"?"https://images.example/SHA256SUMS":"sha256:\u2026",value:h,
onInput:N=>p(N.currentTarget.value.trim())})]}),t(Us,{plan:ne.plan,hint:f,wrong:Xo,onHint:k}),t("fieldset",{class:"choice",children:[t("legend",{children:"Confi\
g drive"}),t("div",{class:"segmented",children:["none","user data","JSON","address"].map(N=>t("label",{children:[t("input",{type:"radio",name:"drive",checked:C===
N,onChange:()=>x(N)}),t("span",{children:N})]},N))}),C!=="none"&&t("textarea",{class:"area","aria-label":`Config drive: ${C}`,spellcheck:!1,value:b,onInput:N=>v(
N.currentTarget.value)})]})]}),e.verb==="rescue"&&t(H,{label:"Password of the rescue system",children:N=>t("input",{id:N,class:"input",type:"password",autofocus:!0,
autocomplete:"new-password",value:T,onInput:Z=>j(Z.currentTarget.value)})}),(Ve.data.value?.runbooks.length??0)>0&&t(H,{label:"Runbook",children:N=>t("select",{
id:N,class:"select",value:y,onChange:Z=>B(Z.currentTarget.value),children:[t("option",{value:"",children:"none: steps below"}),Ve.data.value?.runbooks.map(Z=>t(
"option",{value:Z.name,children:Z.name},Z.uuid))]})}),pn&&y===""&&t("details",{open:_!==""||e.verb==="clean"||e.verb==="service",children:[t("summary",{children:[
"Steps",ve?" besides the usual ones":""]}),t(H,{label:"Steps as JSON",error:Zo,hint:'[{"interface": "deploy", "step": "erase_devices_metadata"}]',children:N=>t(
"textarea",{id:N,class:"area",spellcheck:!1,value:_,onInput:Z=>q(Z.currentTarget.value)})})]}),t(Hs,{...ne,changes:Ft,ident:ye}),e.destroys===!0&&t(H,{label:`Wh\
at is on its disks is lost. Type ${ye} to go on`,children:N=>t("input",{id:N,class:"input",autocomplete:"off",spellcheck:!1,value:E,onInput:Z=>Y(Z.currentTarget.
value)})}),t("details",{children:[t("summary",{children:"Show command"}),t("div",{class:"stack",children:[t(ot,{label:"corten",text:Aa}),t(ot,{label:"curl",text:re(
"PUT",`/v1/nodes/${$(n.uuid)}/states/provision`,e.verb==="rescue"?{...fn(),rescue_password:"\u2026"}:fn())})]})]})]})})}function jo(e){if(e.trim()==="")return[];
try{return JSON.parse(e)}catch{return null}}function $l(e){let n=/^(sha\d+|md5):(.+)$/i.exec(e);return n===null?[null,e]:[(n[1]??"").toLowerCase(),n[2]??""]}var El={timeline:"timeline",boot_log:"boot",recorder:"bmc",history:"history",validation:"settings"},Ml={failed:"It failed",fault:"The service found a fault",stuck:"\
It waits for too long",error:"The last thing asked of it failed",maintenance:"It is in maintenance",held:"It is held"};function Ks({diagnosis:e,node:n}){let o=Ml[e.
kind];if(o===void 0)return null;let r=n.name??n.uuid,s=e.kind!=="maintenance"&&e.kind!=="held";return t("section",{class:`panel matter${s?" matter-bad":""}`,"ar\
ia-label":"What is the matter",children:[t("div",{class:"matter-mark",children:s?t(G,{look:"failed"}):t(R,{name:"pause"})}),t("div",{class:"matter-words",children:[
t("p",{class:"matter-kind",children:[o,e.since!==null&&t(S,{children:[" ","since ",t(Pe,{at:e.since})," (",xe(e.since),")"]})]}),t("h2",{class:"matter-cause",children:e.
cause?.sentence??e.meaning}),e.cause?.sentence!==void 0&&e.cause!==null&&t("p",{class:"faint",children:e.meaning}),e.cause?.advice!==null&&e.cause?.advice!==void 0&&
t("p",{class:"matter-advice",children:[t("strong",{children:"What to do:"})," ",e.cause.advice,e.cause.docs!==null&&t(S,{children:[" ","More in ",t("code",{children:e.
cause.docs}),"."]})]}),e.finding!==null&&t("blockquote",{class:"finding",children:e.finding}),e.maintenance!==null&&t("p",{children:[e.maintenance.reason!==null&&
e.maintenance.reason!==""?`Maintenance: ${e.maintenance.reason}. `:"No reason for the maintenance was given. ",e.maintenance.fault!==null&&`Fault: ${e.maintenance.
fault}.`]}),e.waiting!==null&&t("p",{children:["Waits ",xe(e.waiting.since)," for ",e.waiting.for,"."]}),e.evidence.length>0&&t("ul",{class:"evidence","aria-lab\
el":"Evidence",children:e.evidence.map(a=>t("li",{children:[t("a",{href:M(["nodes",r],{tab:El[a.kind]??"json"}),children:a.kind.replace("_"," ")})," ",a.text]},
a.kind+a.text))})]})]})}function de(e){return e==null?"":String(e)}function Uo({doc:e,none:n,children:o}){let r=e.data.value,s=e.error.value;return r!==void 0?t(S,{children:o(r)}):s===
void 0?t($e,{lines:3}):s.status===404||s.status===400?t("p",{class:"faint",children:n}):t(Ee,{error:s,retry:e.reload})}function Gs({node:e}){let n=`/v1/nodes/${$(
e.uuid)}`,o=D(`${n}/inventory`),r=D(`${n}/firmware`),s=D(`${n}/management/boot_device`),a=D(`${n}/management/indicators`);return t("div",{class:"stack",children:[
t(P,{title:"Inventory",level:3,children:t(Uo,{doc:o,none:"The machine was not inspected yet. Inspect finds out what hardware it has; it must be manageable for t\
hat.",children:i=>t(Pl,{inventory:i.inventory})})}),t("div",{class:"cards",children:[t(P,{title:"Boot",level:3,children:t(ge,{all:!0,rows:[["Boot device",s.data.
value?.boot_device==null?s.error.value?.message??null:`${s.data.value.boot_device}${s.data.value.persistent===!0?", always":", once"}`],["Boot mode",e.boot_mode],
["Secure boot",e.secure_boot===null?null:e.secure_boot===!0?"on":"off"]]})}),t(P,{title:"Firmware",level:3,children:t(Uo,{doc:r,none:"The driver does not tell a\
bout firmware.",children:i=>i.firmware.length===0?t("p",{class:"faint",children:"No components are known."}):t("table",{class:"table",children:t("tbody",{children:i.
firmware.map(l=>t("tr",{children:[t("th",{scope:"row",children:de(l.component)}),t("td",{children:de(l.current_version)}),t("td",{class:"faint",children:de(l.last_version_flashed)})]},
de(l.component)))})})})}),t(P,{title:"RAID",level:3,children:[t(Vs,{title:"Now",config:e.raid_config}),t(Vs,{title:"Wanted",config:e.target_raid_config})]}),t(P,
{title:"Indicators",level:3,children:t(Uo,{doc:a,none:"The BMC has none.",children:i=>i.indicators.length===0?t("p",{class:"faint",children:"The BMC has none."}):
t("table",{class:"table",children:t("tbody",{children:i.indicators.map(l=>t("tr",{children:[t("th",{scope:"row",children:de(l.name)}),t("td",{children:de(l.component)}),
t("td",{class:"faint",children:l.readonly===!0?"to read":"can be set"})]},de(l.name)))})})})})]})]})}function Vs({title:e,config:n}){let o=n.logical_disks;return t(
"div",{children:[t("h4",{class:"sub",children:e}),!Array.isArray(o)||o.length===0?t("p",{class:"faint",children:e==="Now"?"No logical disks are known.":"Nothing\
 is wanted."}):t("ul",{children:o.map((r,s)=>t("li",{children:["RAID ",de(r.raid_level),", ",de(r.size_gb)," GB ",r.is_root_volume===!0&&t("span",{class:"chip",
children:"root"})]},s))})]})}function Pl({inventory:e}){let{cpu:n,memory:o,disks:r=[],interfaces:s=[],system_vendor:a}=e;return t("div",{class:"stack",children:[
t(ge,{rows:[["Machine",[a?.manufacturer,a?.product_name].filter(Boolean).join(" ")],["Serial",a?.serial_number],["CPU",n===void 0?null:`${de(n.count)} \xD7 ${de(
n.model_name??n.architecture)}`],["Memory",o?.physical_mb===void 0?null:Ne(o.physical_mb*1048576)],["BMC",e.bmc_address],["Boot mode",de(e.boot?.current_boot_mode)]]}),
r.length===0?t(U,{title:"No disks were found"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"hidden-text",children:"\
Disks"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"disk"}),t("th",{scope:"col",class:"num",children:"size"}),t("th",{scope:"col",children:"\
model"}),t("th",{scope:"col",children:"kind"}),t("th",{scope:"col",children:"serial"}),t("th",{scope:"col",children:"WWN"})]})}),t("tbody",{children:r.map(i=>t(
"tr",{children:[t("th",{scope:"row",children:de(i.name)}),t("td",{class:"num",children:typeof i.size=="number"?Ne(i.size):""}),t("td",{children:[i.vendor,i.model].
filter(Boolean).map(String).join(" ")}),t("td",{children:i.rotational===!0?"spinning":i.rotational===!1?"SSD":""}),t("td",{children:t("code",{children:de(i.serial)})}),
t("td",{children:t("code",{children:de(i.wwn)})})]},de(i.name)))})]})}),t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("caption",{class:"\
hidden-text",children:"Network interfaces"}),t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"interface"}),t("th",{scope:"col",children:"MAC"}),
t("th",{scope:"col",children:"address"}),t("th",{scope:"col",children:"link"}),t("th",{scope:"col",children:"product"})]})}),t("tbody",{children:s.map(i=>t("tr",
{children:[t("th",{scope:"row",children:de(i.name)}),t("td",{children:t("code",{children:de(i.mac_address)})}),t("td",{children:de(i.ipv4_address)}),t("td",{children:i.
has_carrier===!0?"up":i.has_carrier===!1?"down":""}),t("td",{class:"faint",children:[de(i.vendor)," ",de(i.product)]})]},de(i.name)+de(i.mac_address)))})]})})]})}function zs({node:e}){let n=D(`/v1/nodes/${$(e.uuid)}/history?detail=True`,{on:i=>i.node===e.uuid,atMost:2e3}),[o,r]=g("all"),[s,a]=g("");return t(P,{title:"His\
tory",level:3,actions:t(S,{children:[t("select",{class:"select","aria-label":"Severity",value:o,onChange:i=>r(i.currentTarget.value),children:[t("option",{value:"\
all",children:"all"}),t("option",{value:"ERROR",children:"errors"}),t("option",{value:"INFO",children:"information"})]}),t("input",{class:"input filter","aria-l\
abel":"Filter history",placeholder:"Filter",value:s,onInput:i=>a(i.currentTarget.value)})]}),children:t(z,{doc:n,lines:6,children:i=>{let l=s.toLowerCase(),c=i.
history.filter(d=>(o==="all"||d.severity===o)&&d.event.toLowerCase().includes(l)).reverse();return c.length===0?t(U,{title:i.history.length===0?"Nothing happene\
d yet":"No entry matches"}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
at"}),t("th",{scope:"col",children:"severity"}),t("th",{scope:"col",children:"what"}),t("th",{scope:"col",children:"who"})]})}),t("tbody",{children:c.map(d=>t("\
tr",{children:[t("td",{class:"nowrap",children:t(Pe,{at:d.created_at})}),t("td",{class:d.severity==="ERROR"?"wrong":"faint",children:d.severity.toLowerCase()}),
t("td",{class:"wrap",children:d.event}),t("td",{children:d.user??d.conductor??""})]},d.uuid))})]})})}})})}function Ys({node:e}){let n=JSON.stringify(e,null,2);return t(
P,{title:`GET /v1/nodes/${e.uuid}`,level:3,actions:t(At,{text:n,label:"Copy the document"}),children:t("pre",{class:"json",tabIndex:0,children:n})})}var cn=["enroll","manageable","available","active","rescue"],Al={verifying:["enroll","manageable"],inspecting:["manageable","manageable"],"inspect wait":["manag\
eable","manageable"],"inspect failed":["manageable","manageable"],adopting:["manageable","active"],"adopt failed":["manageable","active"],cleaning:["manageable",
"available"],"clean wait":["manageable","available"],"clean failed":["manageable","available"],"clean hold":["manageable","available"],deploying:["available","a\
ctive"],"wait call-back":["available","active"],"deploy failed":["available","active"],"deploy hold":["available","active"],deleting:["active","available"],error:[
"active","available"],rescuing:["active","rescue"],"rescue wait":["active","rescue"],"rescue failed":["active","rescue"],unrescuing:["rescue","active"],"unrescu\
e failed":["rescue","active"],servicing:["active","active"],"service wait":["active","active"],"service failed":["active","active"],"service hold":["active","ac\
tive"]};function Nl(e,n){let o=cn.indexOf(e);if(o>=0)return cn.map((u,m)=>({state:u,kind:m<o?"past":m===o?"here":"to come"}));let[r,s]=Al[e]??["enroll","managea\
ble"],a=n??Le[e]?.target??s,[i,l]=[cn.indexOf(r),cn.indexOf(s)],c=Math.min(i,l),d=[];for(let[u,m]of cn.entries())d.push({state:m,kind:m===a?"target":u<=c?"past":
"to come"}),u===c&&d.push({state:e,kind:"here"});return d}function Qs({node:e}){let n=Nl(e.provision_state,e.target_provision_state);return t("ol",{class:"life",
"aria-label":`Life: ${e.provision_state}${e.target_provision_state===null?"":`, on the way to ${e.target_provision_state}`}`,children:n.map(o=>t("li",{class:`st\
op stop-${o.kind.replace(" ","-")}${o.kind==="here"?` here-${Pt(o.state)}`:""}`,"aria-current":o.kind==="here"?"step":void 0,children:[t("span",{class:"stop-mar\
k",children:o.kind==="here"?t(G,{look:Pt(o.state)}):t("i",{})}),t("span",{class:"stop-word",children:o.state}),o.kind==="target"&&t("span",{class:"stop-note",children:"\
target"})]},o.state))})}function Zs({node:e,me:n}){let o=`/v1/nodes/${$(e.uuid)}`,r=p=>p.node===e.uuid,s=D(`/v1/ports/detail?node=${$(e.uuid)}`,{on:r}),a=D(`/v1/portgroups/detail?node=${$(
e.uuid)}`,{on:r}),i=D(`${o}/vifs`,{on:r}),l=D(`/v1/volume/targets?node=${$(e.uuid)}&detail=True`),c=D(`/v1/volume/connectors?node=${$(e.uuid)}&detail=True`),[d,
u]=g(null),[m,h]=g(null);return t("div",{class:"stack",children:[t(P,{title:"Ports",level:3,actions:t(w,{small:!0,why:te(n,"baremetal:port:create"),onClick:()=>u(
"new"),children:[t(R,{name:"plus"})," Add"]}),children:t(z,{doc:s,children:p=>p.ports.length===0?t("p",{class:"faint",children:"No ports. A machine that boots f\
rom the network needs one with its MAC address."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t(
"th",{scope:"col",children:"MAC"}),t("th",{scope:"col",children:"name"}),t("th",{scope:"col",children:"boots"}),t("th",{scope:"col",children:"network"}),t("th",
{scope:"col",children:"switch"}),t("th",{scope:"col"})]})}),t("tbody",{children:p.ports.map(f=>t("tr",{children:[t("th",{scope:"row",children:t("code",{children:f.
address})}),t("td",{children:f.name??""}),t("td",{children:f.pxe_enabled?"yes":"no"}),t("td",{children:f.physical_network??""}),t("td",{class:"faint",children:[
f.local_link_connection.switch_info,f.local_link_connection.port_id].filter(Boolean).map(String).join(" ")}),t("td",{class:"nowrap",children:[t(w,{small:!0,kind:"\
quiet",label:`Change ${f.address}`,why:te(n,"baremetal:port:update"),onClick:()=>u(f),children:"Change"}),t(w,{small:!0,kind:"quiet",label:`Delete ${f.address}`,
why:te(n,"baremetal:port:delete"),onClick:()=>h(f),children:"Delete"})]})]},f.uuid))})]})})})}),t("div",{class:"cards",children:[t(Fn,{title:"Port groups",none:"\
No ports are bonded.",rows:a.data.value?.portgroups.map(p=>[String(p.name??p.uuid),`${String(p.mode??"")} ${String(p.address??"")}`]),error:a.error.value?.message}),
t(Fn,{title:"Attached networks (VIFs)",none:"No network is attached.",rows:i.data.value?.vifs.map(p=>[p.id,""]),error:i.error.value?.message}),t(Fn,{title:"Volu\
me connectors",none:"No connectors.",rows:c.data.value?.connectors.map(p=>[String(p.type),String(p.connector_id)]),error:c.error.value?.message}),t(Fn,{title:"V\
olume targets",none:"No volumes.",rows:l.data.value?.targets.map(p=>[String(p.volume_type),`${String(p.volume_id)}, boot index ${String(p.boot_index)}`]),error:l.
error.value?.message})]}),d!==null&&t(Ll,{node:e.uuid,port:d==="new"?null:d,onClose:()=>u(null),onDone:()=>{u(null),s.reload()}}),m!==null&&t(rt,{title:`Delete \
port ${m.address}`,text:t("p",{children:"The machine is not recognised by this address any more."}),word:m.address,action:"Delete",onClose:()=>h(null),onYes:()=>{
O("DELETE",`/v1/ports/${$(m.uuid)}`).then(()=>{W("The port is deleted."),h(null),s.reload()},p=>K("The port could not be deleted",p))}})]})}function Fn({title:e,
none:n,rows:o,error:r}){return t(P,{title:e,level:3,children:r!==void 0?t("p",{class:"faint",children:r}):o===void 0||o.length===0?t("p",{class:"faint",children:n}):
t("table",{class:"table",children:t("tbody",{children:o.map(([s,a])=>t("tr",{children:[t("th",{scope:"row",children:s}),t("td",{children:a})]},s+a))})})})}var Rl=/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i;
function Ll({node:e,port:n,onClose:o,onDone:r}){let[s,a]=g(n?.address??""),[i,l]=g(n?.physical_network??""),[c,d]=g(n?.pxe_enabled??!0),u=s!==""&&!Rl.test(s)?"A\
 MAC address has six pairs, such as 52:54:00:12:34:56.":null,m=async()=>{try{if(n===null)await O("POST","/v1/ports",{node_uuid:e,address:s,pxe_enabled:c,...i===
""?{}:{physical_network:i}});else{let h=[{op:"replace",path:"/address",value:s},{op:"replace",path:"/pxe_enabled",value:c},i===""?{op:"remove",path:"/physical_n\
etwork"}:{op:"add",path:"/physical_network",value:i}];await O("PATCH",`/v1/ports/${$(n.uuid)}`,h)}W(n===null?"The port is added.":"The port is changed."),r()}catch(h){
K("The port was refused",h)}};return t(oe,{title:n===null?"Add a port":`Port ${n.address}`,onClose:o,foot:t(S,{children:[t(w,{onClick:o,children:"Cancel"}),t(w,
{kind:"main",why:s===""?"a MAC address is missing":u,onClick:()=>{m()},children:n===null?"Add":"Change"})]}),children:[t(H,{label:"MAC address",error:u,children:h=>t(
"input",{id:h,class:"input",autofocus:!0,spellcheck:!1,value:s,onInput:p=>a(p.currentTarget.value.trim())})}),t(H,{label:"Physical network",hint:"Empty if you h\
ave only one.",children:h=>t("input",{id:h,class:"input",value:i,onInput:p=>l(p.currentTarget.value.trim())})}),t("label",{class:"check-line",children:[t("input",
{type:"checkbox",checked:c,onChange:h=>d(h.currentTarget.checked)})," the machine may boot from it"]})]})}function Xs({node:e,me:n,reload:o}){let[r,s]=g(null),a=D(`/v1/nodes/${$(e.uuid)}/children`),i=e.name??e.uuid,l=te(n,Me.update),c=(m,h)=>t(w,{small:!0,kind:"quie\
t",why:l,onClick:()=>s(m),label:`${h} of ${i}`,children:h}),d=e.instance_info.image_source,u=()=>{s(null),o()};return t("div",{class:"cards",children:[t(P,{title:"\
Identity",level:3,actions:t(ue,{commands:{corten:`corten node show ${he(i)}`,curl:re("GET",`/v1/nodes/${$(e.uuid)}`)}}),children:t(ge,{rows:[["Name",t("span",{class:"\
edited",children:[e.name??"\u2013"," ",c("name","Rename")]})],["UUID",t("code",{children:e.uuid})],["Resource class",t("span",{class:"edited",children:[e.resource_class??
"\u2013"," ",c("class","Change")]})],["Driver",e.driver],["Conductor",e.conductor],["Group",e.conductor_group],["Enrolled",t(we,{at:e.created_at,ago:!0})],["Des\
cription",t("span",{class:"edited",children:[e.description??"\u2013"," ",c("description","Edit")]})]]})}),t(P,{title:"In use by",level:3,children:[e.instance_uuid===
null&&d===void 0?t("p",{class:"faint",children:e.provision_state==="active"?"No instance or image is recorded.":"No instance. Deploy writes an image to the mach\
ine and boots it."}):t(ge,{rows:[["Instance",e.instance_uuid===null?null:t("code",{children:e.instance_uuid})],["Name",e.instance_name],["Image",typeof d=="stri\
ng"?t("code",{children:d}):null],["Allocation",e.allocation_uuid===null?null:t("a",{href:M(["allocations"]),children:e.allocation_uuid})]]}),t(ge,{rows:[["Owner",
t("span",{class:"edited",children:[e.owner??"\u2013"," ",c("owner","Change")]})],["Lessee",e.lessee]]})]}),t(P,{title:"Traits",level:3,actions:c("traits","Edit"),
children:e.traits.length===0?t("p",{class:"faint",children:"None. Allocations can ask for traits."}):t("ul",{class:"chips",children:e.traits.map(m=>t("li",{class:"\
chip",children:m},m))})}),t(P,{title:"Safety",level:3,children:t(ge,{rows:[["Protected",t("span",{class:"edited",children:[e.protected?`yes${e.protected_reason===
null?"":`: ${e.protected_reason}`}`:"no"," ",c("protection",e.protected?"End":"Protect")]})],["Retired",t("span",{class:"edited",children:[e.retired?`yes${e.retired_reason===
null?"":`: ${e.retired_reason}`}`:"no"," ",c("retirement",e.retired?"End":"Retire")]})],["Automated clean",e.automated_clean===null?"as configured":String(e.automated_clean)]]})}),
t(P,{title:"Kin",level:3,children:t(ge,{all:!0,rows:[["Parent",e.parent_node===null?null:t("a",{href:M(["nodes",e.parent_node]),children:e.parent_node})],["Chil\
dren",(a.data.value?.children.length??0)===0?null:t("ul",{class:"chips",children:a.data.value?.children.map(m=>t("li",{children:t("a",{href:M(["nodes",m]),children:m.
slice(0,8)})},m))})],["Chassis",e.chassis_uuid===null?null:t("code",{children:String(e.chassis_uuid)})],["Shard",e.shard]]})}),t(P,{title:"Properties",level:3,children:[
t(ge,{rows:Object.entries(e.properties).map(([m,h])=>[m,typeof h=="object"?t("code",{children:JSON.stringify(h)}):String(h)])}),Object.keys(e.extra).length>0&&t(
S,{children:[t("h4",{class:"sub",children:"Extra"}),t(ge,{rows:Object.entries(e.extra).map(([m,h])=>[m,typeof h=="object"?t("code",{children:JSON.stringify(h)}):
String(h)])})]})]}),r!==null&&t(Dl,{what:r,node:e,onClose:()=>s(null),onDone:u})]})}function Dl({what:e,node:n,onClose:o,onDone:r}){let s={name:n.name??"",class:n.
resource_class??"",description:n.description??"",owner:n.owner??"",traits:n.traits.join(`
`),protection:n.protected_reason??"",retirement:n.retired_reason??""},a={name:["Name",""],class:["Resource class","Allocations and Nova choose machines by it."],
description:["Description","Up to 4,096 characters; everybody who sees the node sees it."],owner:["Owner","Id of the project that owns the machine."],traits:["T\
raits, one a line","Standard traits, or CUSTOM_ and capitals."],protection:["Reason",n.protected?"Undeploy and rebuild will be possible again.":"Undeploy and re\
build will be refused."],retirement:["Reason",n.retired?"The machine can be offered again.":"The machine is not offered any more."]},[i,l]=g(s[e]),c=(f,k)=>k===
""?{op:"remove",path:f}:{op:"add",path:f,value:k},d=()=>{if(e==="name")return[c("/name",i)];if(e==="class")return[c("/resource_class",i)];if(e==="description")return[
c("/description",i)];if(e==="owner")return[c("/owner",i)];let[f,k,C]=e==="protection"?["/protected","/protected_reason",n.protected]:["/retired","/retired_reaso\
n",n.retired];return C?[{op:"replace",path:f,value:!1}]:[{op:"replace",path:f,value:!0},...i===""?[]:[c(k,i)]]},u=async()=>{try{if(e==="traits"){let f=i.split(/\s+/).
filter(k=>k!=="");await O("PUT",`/v1/nodes/${$(n.uuid)}/traits`,{traits:f})}else await Dt(n.uuid,d());W("Changed."),r()}catch(f){K("The change was refused",f)}},
m=e==="protection"&&n.protected||e==="retirement"&&n.retired,[h,p]=a[e];return t(oe,{title:e==="protection"?m?"End protection":"Protect":e==="retirement"?m?"End\
 retirement":"Retire":h,onClose:o,foot:t(S,{children:[t(w,{onClick:o,children:"Cancel"}),t(w,{kind:"main",onClick:()=>{u()},children:"Change"})]}),children:t("f\
orm",{onSubmit:f=>{f.preventDefault(),u()},children:m?t("p",{children:p}):t(H,{label:h,hint:p,children:f=>e==="traits"||e==="description"?t("textarea",{id:f,class:"\
area",autofocus:!0,value:i,onInput:k=>l(k.currentTarget.value)}):t("input",{id:f,class:"input",autofocus:!0,value:i,onInput:k=>l(k.currentTarget.value)})})})})}var Bl=["power","management","boot","deploy","network","storage","inspect","console","raid","bios","firmware","rescue","vendor"],Ol=["driver_info","instance_inf\
o","properties","extra"];function ea({node:e,me:n,reload:o}){let r=D(`/v1/nodes/${$(e.uuid)}/validate`),s=D(`/v1/nodes/${$(e.uuid)}/bios?detail=True`),[a,i]=g(null);
return t("div",{class:"stack",children:[t(P,{title:`Interfaces of ${e.driver}`,level:3,actions:t(w,{small:!0,onClick:r.reload,children:"Validate again"}),children:t(
z,{doc:r,lines:8,children:l=>t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t("tr",{children:[t("th",{scope:"col",children:"\
interface"}),t("th",{scope:"col",children:"implementation"}),t("th",{scope:"col",children:"verdict"})]})}),t("tbody",{children:Bl.map(c=>t("tr",{children:[t("th",
{scope:"row",children:c}),t("td",{children:String(e[`${c}_interface`]??"")}),t("td",{children:t(Il,{verdict:l[c]})})]},c))})]})})})}),t("div",{class:"cards",children:Ol.
map(l=>t(P,{title:l,level:3,actions:t(w,{small:!0,kind:"quiet",label:`Edit ${l}`,why:te(n,Me.update),onClick:()=>i(l),children:"Edit"}),children:t(ql,{values:e[l]})},
l))}),t(P,{title:"BIOS settings",level:3,children:t(z,{doc:s,children:l=>l.bios.length===0?t(U,{title:"No BIOS settings are known",children:"The service reads t\
hem when the machine is verified, cleaned or deployed, if its driver can."}):t("div",{class:"scroll-x scroll-y",children:t("table",{class:"table",children:[t("t\
head",{children:t("tr",{children:[t("th",{scope:"col",children:"setting"}),t("th",{scope:"col",children:"value"}),t("th",{scope:"col",children:"allowed"})]})}),
t("tbody",{children:l.bios.map(c=>t("tr",{children:[t("th",{scope:"row",children:c.name}),t("td",{children:[c.value," ",c.read_only===!0&&t("span",{class:"chip",
children:"read only"})]}),t("td",{class:"faint",children:c.allowable_values?.join(", ")??(c.lower_bound==null?"":`${c.lower_bound} to ${c.upper_bound??""}`)})]},
c.name))})]})})})}),a!==null&&t(Wl,{name:a,node:e,onClose:()=>i(null),onDone:()=>{i(null),o(),r.reload()}})]})}function Il({verdict:e}){return e===void 0?t("spa\
n",{class:"faint",children:"not validated"}):e.result===!0?t("span",{class:"good",children:[t(R,{name:"check"})," would work"]}):e.result===null?t("span",{class:"\
faint",children:e.reason??"not supported"}):t("span",{class:"wrong",children:[t(G,{look:"failed"})," ",e.reason??"would not work"]})}function ql({values:e}){let n=Object.
entries(e);return n.length===0?t("p",{class:"faint",children:"Empty."}):t("dl",{class:"values",children:n.map(([o,r])=>t("div",{children:[t("dt",{children:o}),t(
"dd",{children:t("code",{children:typeof r=="string"?r:JSON.stringify(r)})})]},o))})}function Fl(e,n,o){let r=a=>`/${e}/${a.replaceAll("~","~0").replaceAll("/",
"~1")}`,s=[];for(let[a,i]of Object.entries(o))a in n?JSON.stringify(n[a])!==JSON.stringify(i)&&s.push({op:"replace",path:r(a),value:i}):s.push({op:"add",path:r(
a),value:i});for(let a of Object.keys(n))a in o||s.push({op:"remove",path:r(a)});return s}function Wl({name:e,node:n,onClose:o,onDone:r}){let s=n[e],[a,i]=g(JSON.
stringify(s,null,2)),l=null,c=null;try{let m=JSON.parse(a);typeof m=="object"&&m!==null&&!Array.isArray(m)?l=m:c="This has to be a JSON object."}catch(m){c=m instanceof
Error?m.message:String(m)}let d=l===null?[]:Fl(e,s,l),u=async()=>{try{await Dt(n.uuid,d),W(`${e} is changed.`),r()}catch(m){K("The change was refused",m)}};return t(
oe,{wide:!0,title:`${e} of ${n.name??n.uuid}`,onClose:o,foot:t(S,{children:[t(w,{onClick:o,children:"Cancel"}),t(w,{kind:"main",why:c!==null?"it is not JSON":d.
length===0?"nothing is changed":null,onClick:()=>{u()},children:["Send ",d.length>0?`${d.length} changes`:""]})]}),children:[t(H,{label:"JSON",error:c,hint:"Sec\
rets are masked as ******; leave them and they stay as they are.",children:m=>t("textarea",{id:m,class:"area area-tall",autofocus:!0,spellcheck:!1,value:a,onInput:h=>i(
h.currentTarget.value)})}),d.length>0&&t("ul",{class:"diff","aria-label":"What will be sent",children:d.map(m=>t("li",{class:`diff-${m.op}`,children:t("code",{children:[
m.op==="remove"?"\u2212":"+"," ",m.path," ",m.value===void 0?"":JSON.stringify(m.value)]})},m.path))})]})}var ta={running:"working",done:"in_use",failed:"failed",aborted:"held",waiting:"waiting",pending:"ready"};function Ho(e){let n=e.requested_by;return n===null?null:
n.user??n.project}function na({flow:e}){let n=Ho(e);return t("section",{class:"panel running","aria-label":"Under way",children:[t("header",{class:"running-head",
children:[t("h2",{children:[t(G,{look:"working"})," ",e.verb]}),t("span",{class:"faint",children:[n!==null&&`asked by ${n} `,t(we,{at:e.started_at,ago:!0}),e.requested_by?.
request_id!=null&&t(S,{children:[" \xB7 ",t("code",{children:e.requested_by.request_id})]})]}),e.restarts>0&&t("span",{class:"chip",children:["taken up again ",
e.restarts," times"]})]}),t(ra,{flow:e}),t(oa,{flow:e}),t(sa,{flow:e})]})}function oa({flow:e}){let{progress:n,waiting:o}=e,r=c=>{let d=n?.[c];return typeof d==
"number"?d:null},[s,a,i,l]=[r("bytes"),r("total"),r("rate"),r("eta")];return t(S,{children:[s!==null&&a!==null&&a>0&&t("div",{class:"progress-line",children:[t(
tt,{value:Ze(s,a),label:"Bytes written"}),t("span",{children:[Ne(s)," of ",Ne(a),i!==null&&` \xB7 ${Ne(i)}/s`,l!==null&&` \xB7 ${_e(l)} left`]})]}),o!==null&&t(
"p",{class:"waits",children:[t(G,{look:"waiting"})," waits ",xe(o.since??o.started_at)," for ",o.for??o.what??"the machine"]})]})}function jl(e,n){let o=e.phases[n];
if(o===void 0)return 0;if(o.duration!==null)return o.duration;let r=e.phases[n+1],s=r===void 0?e.ended_at===null?gt.value:Date.parse(e.ended_at):Date.parse(r.started_at);
return Math.max(0,(s-Date.parse(o.started_at))/1e3)}function ra({flow:e}){if(e.phases.length===0)return null;let n=e.phases.map((r,s)=>jl(e,s)),o=n.reduce((r,s)=>r+
s,0);return t("ol",{class:"phases",children:e.phases.map((r,s)=>{let a=n[s]??0,i=s===e.phases.length-1,l=i&&e.state==="running"?"running":i&&e.state==="failed"?
"failed":"done";return t("li",{class:`phase phase-${l}`,style:{flexGrow:o===0?1:Math.max(a/o,.04)},title:`${r.name}: ${_e(a)} (${r.by})`,children:[t("span",{class:"\
phase-name",children:r.name}),t("span",{class:"phase-time",children:_e(a)})]},`${s}-${r.name}`)})})}function sa({flow:e}){if(e.steps.length===0)return null;let n=e.
steps.filter(o=>o.state==="done").length;return t("div",{class:"steps",children:[t("span",{class:"faint",children:["steps ",n," of ",e.steps.length]}),e.steps.map(
(o,r)=>t("span",{class:`step step-${o.state}`,title:`${o.state}${o.duration===null?"":`, ${_e(o.duration)}`}`,children:[t(G,{look:ta[o.state]??"ready"})," ",o.name,
" ",t("span",{class:"hidden-text",children:o.state})]},`${r}-${o.name}`))]})}function aa({doc:e}){return t(z,{doc:e,lines:6,children:n=>n.flows.length===0?t(U,{
title:"Nothing was done to this machine yet",children:"Operations appear here with their phases, steps and waits."}):t("ol",{class:"flows",children:n.flows.map(
o=>t("li",{class:"flow",children:[t("header",{class:"flow-head",children:[t(G,{look:ta[o.state]??"ready"}),t("h3",{children:o.verb}),t("span",{children:[o.state,
o.result!==null&&` \u2192 ${o.result}`]}),t("span",{class:"faint",children:[t(Pe,{at:o.started_at})," \xB7 ",o.ended_at===null?xe(o.started_at):_e(o.duration??0),
Ho(o)!==null&&` \xB7 by ${Ho(o)??""}`,o.restarts>0&&` \xB7 taken up again ${o.restarts} times`]})]}),t(ra,{flow:o}),o.state==="running"&&t(oa,{flow:o}),t(sa,{flow:o}),
o.warnings.map((r,s)=>t("p",{class:"flow-warning",children:[t(R,{name:"warn"})," ",typeof r=="string"?r:JSON.stringify(r)]},s)),o.error!==null&&t("blockquote",{
class:"finding",children:o.error})]},o.started_at+o.verb))})})}var un=[["overview","Overview"],["timeline","Timeline"],["boot","Boot"],["bmc","BMC"],["hardware","Hardware"],["settings","Settings"],["network","Network"],["hi\
story","History"],["console","Console"],["json","JSON"]];function la({ident:e}){let n=x=>x.node===o.current||x.node_name===e||x.node===e,o=J(""),r=D(`/v1/nodes/${$(
e)}`,{on:n,atMost:400}),s=r.data.value;s!==void 0&&(o.current=s.uuid);let a=s?.uuid??null,i=D(a===null?null:`/corten/v1/me?node=${a}`),l=s===void 0?"ready":Pt(s.
provision_state),c=l==="working"||l==="waiting"||(s?.reservation??null)!==null,d=D(a===null?null:`/corten/v1/nodes/${a}/timeline?limit=20`,{on:n,atMost:400,every:c?
1e3:void 0}),u=D(a===null?null:`/corten/v1/nodes/${a}/diagnosis`,{on:n,atMost:800,every:c?5e3:3e4}),m=ie.value.get("tab")??"overview",h=x=>{let b=un.findIndex(([
_])=>_===(ie.peek().get("tab")??"overview")),v=un[(b+x+un.length)%un.length];v!==void 0&&Q({tab:v[0]==="overview"?null:v[0]})};if(qe([{keys:"[",about:"tab befor\
e",run:()=>h(-1)},{keys:"]",about:"next tab",run:()=>h(1)},{keys:".",about:"verbs of this node",run:()=>document.querySelector(".verbs .button")?.focus()}]),L(()=>(document.
title=`${s?.name??e} \xB7 Corten`,()=>{document.title="Corten"}),[s?.name]),s===void 0){let x=r.error.value;return t("div",{class:"stack",children:[t(ia,{}),x===
void 0?t($e,{lines:8}):t(Ee,{error:x,retry:r.reload})]})}let p=r.error.value?.status===404,f={node:s,me:i.data.value,timeline:d.data.value,reload:r.reload},k=d.
data.value?.flows[0],C=st.find(x=>x.verb===ie.value.get("do")&&x.asks===!0);return t("div",{class:"node",children:[t("header",{class:"node-head",children:[t(ia,
{}),t("h1",{class:"node-name",children:[s.name??s.uuid,t(At,{text:s.uuid,label:"Copy the UUID"})]}),t(et,{state:s.provision_state,target:s.target_provision_state,
maintenance:s.maintenance}),t("span",{class:"faint",children:["since ",t(we,{at:s.provision_updated_at})]}),t("span",{class:"node-fact",children:[t(R,{name:"pow\
er"})," ",s.power_state??"power unknown",s.target_power_state!==null&&` \u2192 ${s.target_power_state}`]}),s.resource_class!==null&&t("span",{class:"node-fact",
children:["class ",s.resource_class]}),s.conductor!==null&&t("span",{class:"node-fact",children:s.conductor}),s.reservation!==null&&t("span",{class:"node-fact n\
ode-lock",children:[t(R,{name:"lock"})," locked by ",s.reservation]}),s.protected&&t("span",{class:"chip",children:"protected"}),s.retired&&t("span",{class:"chi\
p",children:"retired"})]}),p&&t("p",{class:"banner",role:"alert",children:[t(R,{name:"warn"})," This node was deleted meanwhile. What you see is what was last k\
nown."]}),t("div",{class:p?"main-stale stack":"stack",children:[t("section",{class:"panel life-panel","aria-label":"Life",children:[t(Qs,{node:s}),t(Ds,{...f})]}),
u.data.value!==void 0&&t(Ks,{diagnosis:u.data.value,...f}),k!==void 0&&k.state==="running"&&t(na,{flow:k}),t("nav",{class:"tabs",role:"tablist","aria-label":"Ab\
out this node",children:un.map(([x,b])=>t("a",{role:"tab",id:`tab-${x}`,"aria-selected":x===m,"aria-controls":"tab-panel",tabIndex:x===m?0:-1,class:"tab",href:M(
["nodes",e],{tab:x==="overview"?null:x}),onKeyDown:v=>{v.key!=="ArrowRight"&&v.key!=="ArrowLeft"||(v.preventDefault(),h(v.key==="ArrowRight"?1:-1),requestAnimationFrame(
()=>document.querySelector('.tab[aria-selected="true"]')?.focus()))},children:b},x))}),t("div",{role:"tabpanel",id:"tab-panel","aria-labelledby":`tab-${m}`,class:"\
tab-panel",children:[m==="overview"&&t(Xs,{...f}),m==="timeline"&&t(aa,{doc:d}),m==="boot"&&t(qs,{node:s,busy:c}),m==="bmc"&&t(Os,{...f}),m==="hardware"&&t(Gs,{
...f}),m==="settings"&&t(ea,{...f}),m==="network"&&t(Zs,{...f}),m==="history"&&t(zs,{node:s}),m==="console"&&t(js,{...f}),m==="json"&&t(Ys,{node:s})]})]}),C!==void 0&&
t(Js,{action:C,...f,onClose:()=>Q({do:null})})]})}function ia(){return t("a",{class:"crumb",href:M(["nodes"]),children:"\u2039 Nodes"})}function ca(e,n,o,r){let s=Math.max(0,Math.floor(e/o)-8),a=Math.min(r,Math.ceil((e+n)/o)+8);return{first:Math.min(s,Math.max(0,r-1)),end:Math.max(a,0)}}var at=100;
function dn({first:e,end:n}){let o=[];for(let r=Math.floor(e/at);r*at<n;r+=1)o.push(r);return o}function ua(e,n,o,r){return e*r<n?e*r:(e+1)*r>n+o?(e+1)*r-o:null}var Ul=500;function Hl(e,n){let o=r=>{let s=n.data[r];return typeof s=="string"?s:null};if(n.kind==="provision"){let r=o("to");if(r===null||Le[r]===void 0)return null;
let s=Le[r].look;return{...e,provision_state:r,look:s,target_provision_state:o("target"),provision_updated_at:n.at,cause:s==="failed"?e.cause:null}}if(n.kind===
"power"){let r=o("to");return r===null?null:{...e,power_state:r}}return null}var Jo=class{constructor(n,o){this.query=n;this.before=o;o?.total===void 0&&(this.before=
o?.before),this.total=this.before?.total,this.read(0)}query;before;version=F(0);total;error;pages=new Map;cursors=new Map;asked=new Map;sight={first:0,end:at};timer;seeTimer;last=0;at(n){
return this.before!==void 0?this.before.at(n):this.pages.get(Math.floor(n/at))?.[n%at]}loaded(){return[...this.pages.values()].flat()}see(n){this.sight=n,window.
clearTimeout(this.seeTimer),dn(n).filter(r=>!this.pages.has(r)&&!this.asked.has(r)).length!==0&&(this.seeTimer=window.setTimeout(()=>{for(let[r,s]of this.asked)
dn(this.sight).includes(r)||s.abort();for(let r of dn(this.sight))!this.pages.has(r)&&!this.asked.has(r)&&this.read(r)},50))}read(n){let o=new AbortController;this.
asked.get(n)?.abort(),this.asked.set(n,o),X(`/corten/v1/nodes?${this.query}&limit=${at}&offset=${n*at}`,o.signal).then(r=>{this.asked.get(n)===o&&this.asked.delete(
n),this.pages.set(n,r.nodes),this.cursors.set(n,r.cursor),this.total=r.total,this.before=void 0,this.error=void 0,Nt(r.cursor),this.version.value+=1},r=>{this.asked.
get(n)===o&&this.asked.delete(n),!o.signal.aborted&&(this.error=Ce(r),this.pages.size===0&&(this.total=void 0),this.before=void 0,this.version.value+=1)})}take(n){
let o=!1,r=new Map;for(let s of n){let a=r.get(s.node);a===void 0?r.set(s.node,[s]):a.push(s)}for(let[s,a]of this.pages){let i=this.cursors.get(s)??0;for(let[l,
c]of a.entries())for(let d of r.get(c.uuid)??[]){if(d.cursor<=i)continue;let u=Hl(a[l]??c,d);u!==null&&(a[l]=u,o=!0)}}if(o&&(this.version.value+=1),this.timer===
void 0){let s=Math.max(0,this.last+Ul-Date.now());this.timer=window.setTimeout(()=>{this.timer=void 0,this.last=Date.now(),this.refresh()},s)}}refresh(){let n=new Set(
dn(this.sight));for(let o of[...this.pages.keys()])n.has(o)||this.pages.delete(o);n.size===0&&n.add(0);for(let o of n)this.read(o)}stop(){window.clearTimeout(this.
timer),window.clearTimeout(this.seeTimer);for(let n of this.asked.values())n.abort()}},Jl="uuid,name,look,provision_state,target_provision_state,provision_updat\
ed_at,power_state,target_power_state,maintenance,fault,retired,protected,driver,resource_class,conductor,conductor_group,chassis_uuid,shard,owner,lessee,instanc\
e_uuid,reservation,cause";function da(e,n){let o=yt.value+Re.value,r=J(void 0),s=Qe(()=>(r.current=new Jo(`q=${$(e)}&sort=${$(n)}&fields=${Jl}`,r.current),r.current),
[e,n]);return L(()=>{let a=nt(i=>s.take(i));return()=>{a(),s.stop()}},[s]),L(()=>{o>0&&s.refresh()},[o]),{version:s.version.value,total:s.total,error:s.error,at:a=>s.
at(a),see:a=>s.see(a),loaded:()=>s.loaded()}}var St=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"provision",body:()=>({target:o}),...s}),Ko=(e,n,o,r,s={})=>({key:e,label:n,about:r,action:"power",body:()=>({
target:o}),...s}),Wn=[St("manage","Manage","manage","Checks that each machine can be controlled.",{quick:!0}),St("provide","Provide","provide","Cleans each mach\
ine and offers it for use.",{quick:!0}),St("deploy","Deploy","active","Writes the image that stands in the instance_info of each node, and boots it.",{quick:!0}),
St("delete","Undeploy","deleted","Takes each machine back and cleans it; what is on its disks is lost.",{quick:!0,destroys:!0}),St("inspect","Inspect","inspect",
"Finds out what hardware each machine has."),St("abort","Abort","abort","Stops what is under way at the end of a step."),St("unrescue","Unrescue","unrescue","Bo\
ots the own system of each machine again."),Ko("power-on","Power on","power on","Switches each machine on."),Ko("power-off","Power off","power off","Switches ea\
ch machine off at once.",{destroys:!0}),Ko("reboot","Reboot","rebooting","Restarts each machine at once.",{destroys:!0}),{key:"maintenance",label:"Maintenance o\
n",action:"maintenance",reason:!0,about:"Keeps the service from working on these machines.",body:e=>e===""?{target:"on"}:{target:"on",reason:e}},{key:"no-mainte\
nance",label:"Maintenance off",action:"maintenance",about:"Lets the service work on these machines again.",body:()=>({target:"off"})}];function pa(e){return Wn.
find(n=>n.key===e)}function fa({q:e,total:n,selectAll:o}){let r=Te.value.size,s=pa(ie.value.get("bulk")??""),a=c=>Q({bulk:c.key});if(r===0)return null;if(s!==void 0)return t(Kl,{verb:s,
nodes:Te.value,onClose:()=>Q({bulk:null})});let i=Wn.filter(c=>c.quick),l=Wn.filter(c=>!c.quick);return t("div",{class:"bulk-bar",role:"region","aria-label":"Se\
lected nodes",children:[t("strong",{children:[pe(r,"node")," selected"]}),r<n&&t(w,{small:!0,kind:"quiet",onClick:o,children:e===""?`All ${n}`:`All ${n} that ma\
tch`}),t("span",{class:"bulk-verbs",children:[i.map(c=>t(w,{small:!0,onClick:()=>a(c),children:[c.label,"\u2026"]},c.key)),t(Ke,{right:!0,label:"More",choices:l.
map(c=>({label:`${c.label}\u2026`,danger:c.destroys,onPick:()=>a(c)}))})]}),t(w,{small:!0,kind:"quiet",onClick:()=>Te.value=new Map,children:"Clear"})]})}function Kl({
verb:e,nodes:n,onClose:o}){let r=n.size,[s,a]=g(""),[i,l]=g(""),[c,d]=g(!0),[u,m]=g(null),[h,p]=g(null),[f,k]=g(null),C=()=>es({action:e.action,arguments:e.body(
s),nodes:n,inWaves:c,mayFail:u}),x=async()=>{k("trial");try{p(await O("POST","/corten/v1/batches?dry_run=true",C())??null)}catch(y){K("The dry run was refused",
y)}k(null)},b=async()=>{k("start");try{let y=await O("POST","/corten/v1/batches",C());Te.value=new Map,y!=null&&le(M(["batches",y.uuid]))}catch(y){K("The batch \
was refused",y),k(null)}},v=r>1e4?`at most ${1e4} nodes at a time`:null,_=e.destroys!==!0||i.trim()===String(r),q=v??(_?null:`type ${r} first`);return t(oe,{wide:!0,
title:`${e.label} ${pe(r,"node")}`,onClose:o,foot:t(S,{children:[t(w,{autofocus:!0,busy:f==="trial",why:v,onClick:()=>{x()},children:"Dry run"}),t("span",{class:"\
spring"}),t(w,{onClick:o,children:"Cancel"}),t(w,{kind:e.destroys===!0?"danger":"main",busy:f==="start",why:q,onClick:()=>{b()},children:e.label})]}),children:t(
"div",{class:"form",children:[t("p",{children:[e.about," ",r>1&&c?"First one node, then a tenth, then the rest; the next wave begins when the last one ended wel\
l.":""," The service does it, also when this page is closed."]}),e.reason===!0&&t(H,{label:"Reason",children:y=>t("input",{id:y,class:"input",value:s,onInput:B=>a(
B.currentTarget.value)})}),r>1&&t("div",{class:"row",children:[t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:c,onChange:y=>d(y.currentTarget.
checked)})," In waves: 1, 10 %, the rest"]}),t("label",{class:"check-line",children:[t("input",{type:"checkbox",checked:u!==null,onChange:y=>m(y.currentTarget.checked?
0:null)})," Allow failures"]}),u!==null&&t("label",{class:"inline-label",children:["at most"," ",t("input",{class:"input input-number",type:"number",min:0,max:1e4,
value:u,onInput:y=>m(Math.max(0,Number(y.currentTarget.value)))})]})]}),e.destroys===!0&&t(H,{label:`Type ${r} to go on`,children:y=>t("input",{id:y,class:"inpu\
t input-number",inputMode:"numeric",autocomplete:"off",value:i,onInput:B=>l(B.currentTarget.value)})}),h!==null&&t(Vl,{trial:h})]})})}function Vl({trial:e}){let n=[
...e.nodes].sort((o,r)=>Number(o.is_accepted)-Number(r.is_accepted)||o.place-r.place);return t("div",{class:"trial",children:[t("p",{role:"status",children:[t("\
strong",{children:e.accepted})," would start, ",t("strong",{children:e.refused})," would be refused",e.left_out>0&&`, ${e.left_out} were not asked`,". Nothing w\
as done."]}),t("div",{class:"scroll-y",tabIndex:0,role:"region","aria-label":"Result of the dry run",children:t("table",{class:"table",children:t("tbody",{children:n.
map(o=>t("tr",{children:[t("th",{scope:"row",children:o.name??o.node}),t("td",{class:o.is_accepted?"good":"wrong",children:o.is_accepted?"would start":"refused"}),
t("td",{children:o.refusal?.text??o.states.join(" \u2192 ")})]},o.node))})})})]})}var Go=F(new Map);function Gl({row:e}){let n=Go.value.get(e.uuid);return n===void 0?null:t(tt,{value:n,label:`${e.name??e.uuid}: ${Math.round(n)} %`})}var it=t(
"span",{class:"faint",children:"\u2013"}),jn=[{key:"name",label:"name",width:"minmax(140px, 1.2fr)",sort:"name",cell:e=>t(S,{children:[t("a",{class:"node-link",
tabIndex:-1,href:M(["nodes",e.name??e.uuid]),children:e.name??e.uuid}),e.reservation!==null&&t("span",{class:"lock",title:`${e.reservation} works on it`,children:[
t(R,{name:"lock"}),t("span",{class:"hidden-text",children:["locked by ",e.reservation]})]})]})},{key:"state",label:"state",width:"minmax(200px, 1.5fr)",sort:"pr\
ovision_state",cell:e=>t(S,{children:[t(et,{state:e.provision_state,target:e.target_provision_state,maintenance:e.maintenance}),t(Gl,{row:e})]})},{key:"since",label:"\
in state",width:"96px",sort:"provision_updated_at",cell:e=>t(we,{at:e.provision_updated_at})},{key:"power",label:"power",width:"76px",sort:"power_state",cell:e=>e.
power_state?.replace("power ","")??it},{key:"class",label:"class",width:"minmax(90px, .7fr)",sort:"resource_class",cell:e=>e.resource_class??it},{key:"driver",label:"\
driver",width:"120px",sort:"driver",cell:e=>e.driver},{key:"conductor",label:"conductor",width:"110px",sort:"conductor",cell:e=>e.conductor??it},{key:"group",label:"\
conductor group",width:"130px",sort:"conductor_group",cell:e=>e.conductor_group===""?it:e.conductor_group},{key:"owner",label:"owner",width:"130px",sort:"owner",
cell:e=>e.owner??it},{key:"lessee",label:"lessee",width:"130px",sort:"lessee",cell:e=>e.lessee??it},{key:"shard",label:"shard",width:"90px",sort:"shard",cell:e=>e.
shard??it},{key:"instance",label:"instance",width:"120px",sort:"instance_uuid",cell:e=>e.instance_uuid===null?it:t("code",{title:e.instance_uuid,children:e.instance_uuid.
slice(0,8)})},{key:"matter",label:"what is the matter",width:"minmax(200px, 2fr)",cell:e=>{let n=e.cause?.sentence??e.fault??(e.retired?"retired":null);return n===
null?"":t("span",{title:n,children:n})}}];var ma=30,zl=56,Yl=[{name:"All",q:""},{name:"Failed",q:"state:failed"},{name:"Waiting too long",q:"state:waiting age>15m"},{name:"Maintenance",q:"maint:yes"}];function ha(){
let e=ie.value.get("q")??"",n=ie.value.get("sort")??"name",o=da(e,n),r=D("/corten/v1/fleet",{every:1e4}),s=D("/corten/v1/work",{every:2e3});L(()=>{let l=(s.data.
value?.operations??[]).filter(c=>c.progress?.bytes!=null&&c.progress.total!=null);Go.value=new Map(l.map(c=>[c.node,Ze(c.progress?.bytes??0,c.progress?.total??0)]))},
[s.data.value]);let a=r.data.value?.total;Ql(e);let i=Oo(o.error);return t("div",{class:"nodes",children:[t("div",{class:"nodes-head",children:[t("h1",{class:"h\
idden",children:"Nodes"}),t(qn,{q:e,onQuery:l=>Q({q:l}),error:o.error}),t("div",{class:"nodes-tools",children:[t(Xl,{q:e,sort:n,counts:r.data.value}),t("span",{
class:"nodes-count",role:"status",children:o.total!==void 0&&(e===""?pe(o.total,"node"):`${I(o.total)} of ${a===void 0?"\u2026":I(a)}`)}),t(ec,{q:e,sort:n})]})]}),
o.error!==void 0&&o.total===void 0&&i===null?t(Ee,{error:o.error}):o.total===void 0?i===null&&t($e,{lines:12}):o.total===0?t(U,{title:e===""?"No machines yet":"\
No node matches",children:e===""?t("a",{class:"button button-main",href:M(["enrol"]),children:"Enrol machines"}):t(w,{onClick:()=>Q({q:null}),children:"Clear th\
e filter"})}):t(tc,{rows:o,q:e,sort:n}),t(fa,{q:e,total:o.total??0,selectAll:()=>{Zl(e)}})]})}function Ql(e){let n=J(e);L(()=>{if(n.current===e)return;n.current=
e;let o=[...Te.value];if(o.length===0||e==="")return;(async()=>{let s=new Map;for(let a=0;a<o.length;a+=20){let i=o.slice(a,a+20),l=await X(`/corten/v1/nodes?fi\
elds=uuid&limit=20&q=${$(`${e} uuid:${i.map(([d])=>d).join(",")}`)}`),c=new Set(l.nodes.map(d=>d.uuid));for(let[d,u]of i)c.has(d)&&s.set(d,u)}s.size<o.length&&(Te.
value=s,W(`${pe(o.length-s.size,"node")} left the selection: the filter hides them.`))})().catch(()=>Te.value=new Map)},[e])}async function Zl(e){try{let n=new Map;
for(let o=0;;o+=1e3){let r=await X(`/corten/v1/nodes?fields=uuid,name&limit=1000&offset=${o}&q=${$(e)}`);for(let s of r.nodes)n.set(s.uuid,s.name??s.uuid);if(r.
nodes.length===0||n.size>=r.total||n.size>=1e4)break}Te.value=n,W(`${pe(n.size,"node")} selected.`)}catch(n){K("The nodes could not be selected",n)}}function Xl({
q:e,sort:n,counts:o}){let r=[...Yl,...He.value],s=r.some(a=>a.q===e);return t("div",{class:"views",role:"group","aria-label":"Views",children:[r.map(a=>t("a",{class:"\
view",href:M(["nodes"],{q:a.q,sort:a.sort}),"aria-current":a.q===e?"true":void 0,children:[a.name,a.q==="state:failed"&&o!==void 0&&o.looks.failed>0&&t("span",{
class:"count count-failed",children:I(o.looks.failed)}),a.q==="maint:yes"&&o!==void 0&&o.maintenance>0&&t("span",{class:"count",children:I(o.maintenance)})]},a.
name)),!s&&e!==""&&t(w,{small:!0,kind:"quiet",onClick:()=>{let a=e.length>24?e.slice(0,23)+"\u2026":e;He.value=[...He.value,n==="name"?{name:a,q:e}:{name:a,q:e,
sort:n}],W("The view is saved in this browser.")},children:[t(R,{name:"plus"})," Save view"]}),He.value.some(a=>a.q===e)&&t(w,{small:!0,kind:"quiet",onClick:()=>He.
value=He.value.filter(a=>a.q!==e),children:"Forget view"})]})}function ec({q:e,sort:n}){let o=s=>{let a=kt.value.includes(s);kt.value=a?kt.value.filter(i=>i!==s):
jn.map(i=>i.key).filter(i=>i===s||kt.value.includes(i))},r=e===""?"":` --where ${he(e)}`;return t("div",{class:"tools",children:[t("span",{class:"wide-only",children:t(
Ke,{right:!0,kind:"quiet",label:"Columns",choices:jn.filter(s=>s.key!=="name").map(s=>({label:s.label,checked:kt.value.includes(s.key),onPick:()=>o(s.key)}))})}),
t(w,{small:!0,kind:"quiet",onClick:()=>{Bs(e,n)},children:[t(R,{name:"download"})," CSV"]}),t(w,{small:!0,kind:"quiet",onClick:()=>{navigator.clipboard?.writeText(
location.href).then(()=>W("The link is copied."))},children:[t(R,{name:"link"})," Link"]}),t(ue,{commands:{corten:`corten node list${r}`,curl:re("GET",`/corten/\
v1/nodes?q=${$(e)}&sort=${$(n)}`)}}),t("a",{class:"button button-small",href:M(["enrol"]),children:[t(R,{name:"plus"})," Enrol"]})]})}function tc({rows:e,q:n,sort:o}){
let r=J(null),[s,a]=g(0),[i,l]=g({height:600,narrow:!1}),[c,d]=g(0),u=J(0),m=y=>{u.current=y,d(y)},h=e.total??0,p=i.narrow?zl:ma,f=ca(s,i.height,p,h),k=jn.filter(
y=>y.key==="name"||kt.value.includes(y.key)),C=`36px ${k.map(y=>y.width).join(" ")}`;pt(()=>{let y=r.current;if(y===null)return;let B=()=>l({height:y.clientHeight,
narrow:y.clientWidth<700});B();let T=new ResizeObserver(B);return T.observe(y),()=>T.disconnect()},[]),L(()=>e.see(f),[f.first,f.end,n,o,e.version]),L(()=>{m(0),
r.current?.scrollTo(0,0)},[n,o]);let x=(y,B)=>{let T=Math.max(0,Math.min(h-1,u.current+y));B&&(b(u.current,!0),b(T,!0)),m(T);let j=ua(T,r.current?.scrollTop??0,
i.height-ma,p);j!==null&&r.current?.scrollTo(0,j),r.current?.focus({preventScroll:!0})},b=(y,B)=>{let T=e.at(y);if(T===void 0)return;let j=new Map(Te.value);B??
!j.has(T.uuid)?j.set(T.uuid,T.name??T.uuid):j.delete(T.uuid),Te.value=j},v=()=>{let y=e.at(u.current);y!==void 0&&le(M(["nodes",y.name??y.uuid]))};qe([{keys:"/",
about:"filter",run:()=>document.getElementById("query")?.focus()},{keys:"j",about:"next node",run:()=>x(1,!1)},{keys:"k",about:"node before",run:()=>x(-1,!1)},{
keys:"ArrowDown",about:"next node",run:()=>x(1,!1)},{keys:"ArrowUp",about:"node before",run:()=>x(-1,!1)},{keys:"J",about:"select and go down",run:()=>x(1,!0)},
{keys:"K",about:"select and go up",run:()=>x(-1,!0)},{keys:"PageDown",about:"a page down",run:()=>x(Math.floor(i.height/p),!1)},{keys:"PageUp",about:"a page up",
run:()=>x(-Math.floor(i.height/p),!1)},{keys:"Home",about:"first node",run:()=>x(-h,!1)},{keys:"End",about:"last node",run:()=>x(h,!1)},{keys:"x",about:"select \
this node",run:()=>b(u.current)},{keys:"Enter",about:"open this node",run:y=>y.target instanceof HTMLAnchorElement||y.target instanceof HTMLButtonElement?y.target.
click():v()},{keys:"Escape",about:"clear the selection",run:()=>Te.value=new Map}]);let _=y=>o===y.sort?"ascending":o===`-${y.sort}`?"descending":"none",q=[];for(let y=f.
first;y<f.end;y+=1)q.push(y);return t("div",{class:`grid${i.narrow?" grid-narrow":""}`,id:"nodes",ref:r,tabIndex:0,role:"grid","aria-label":"Nodes","aria-rowcou\
nt":h+1,"aria-multiselectable":"true","aria-activedescendant":c>=f.first&&c<f.end?`node-${c}`:void 0,onScroll:y=>a(y.currentTarget.scrollTop),children:[t("div",
{class:"grid-head",role:"row","aria-rowindex":1,style:{gridTemplateColumns:C},children:[t("span",{role:"columnheader",class:"hidden-text",children:"select"}),k.
map(y=>t("span",{role:"columnheader","aria-sort":y.sort===void 0?void 0:_(y),children:y.sort===void 0?y.label:t("button",{type:"button",class:"sort",tabIndex:-1,
onClick:()=>Q({sort:o===y.sort?`-${y.sort}`:y.sort==="name"?null:y.sort??null}),children:[y.label,_(y)!=="none"&&t(R,{name:_(y)==="ascending"?"up":"down"})]})},
y.key))]}),t("div",{class:"grid-body",role:"rowgroup",style:{height:`${h*p}px`},children:q.map(y=>t(nc,{index:y,row:e.at(y),shown:k,template:C,top:y*p,height:p,
active:y===c,narrow:i.narrow,onMark:()=>b(y),onClick:()=>m(y)},y))})]})}function nc({index:e,row:n,shown:o,template:r,top:s,height:a,active:i,narrow:l,onMark:c,
onClick:d}){let u=n!==void 0&&Te.value.has(n.uuid),m=l?{top:`${s}px`,height:`${a}px`}:{top:`${s}px`,height:`${a}px`,gridTemplateColumns:r};return t("div",{class:`\
grid-row${i?" grid-active":""}${u?" grid-chosen":""}`,role:"row",id:`node-${e}`,"aria-rowindex":e+2,"aria-selected":u,style:m,onClick:d,children:[t("span",{role:"\
gridcell",class:"grid-check",children:n!==void 0&&t("label",{class:"check",children:t("input",{type:"checkbox",tabIndex:-1,checked:u,onChange:c,"aria-label":`Se\
lect ${n.name??n.uuid}`})})}),n===void 0?t("span",{role:"gridcell",class:"grid-loading"}):o.map(h=>t("span",{role:"gridcell",class:`cell cell-${h.key}`,children:h.
cell(n)},h.key))]})}function zo({title:e,path:n,key_:o,command:r,none:s}){let a=D(`${n}?detail=True`);return L(()=>{let i=()=>a.reload();return addEventListener("focus",i),()=>removeEventListener(
"focus",i)},[]),t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:e}),t("span",{class:"spring"}),t(ue,{commands:{corten:r,curl:re(
"GET",`${n}?detail=True`)}})]}),t(z,{doc:a,lines:6,children:i=>{let l=i[o]??[];return l.length===0?t(U,{title:`No ${e.toLowerCase()}`,children:s}):t("div",{class:"\
cards",children:l.map(c=>t(oc,{recipe:c},c.uuid))})}})]})}function oc({recipe:e}){let[n,o]=g(!1);return t(P,{level:3,title:e.name??e.description??e.uuid,actions:t(
w,{small:!0,kind:"quiet",expanded:n,onClick:()=>o(!n),children:"JSON"}),children:[e.name!==void 0&&e.description!=null&&t("p",{children:e.description}),t("p",{class:"\
row",children:[e.owner!=null&&t("span",{class:"chip",children:["owner ",e.owner]}),e.public===!0&&t("span",{class:"chip",children:"public"}),e.phase!=null&&t("s\
pan",{class:"chip",children:e.phase}),e.sensitive===!0&&t("span",{class:"chip",children:"sensitive"}),e.traits?.map(r=>t("span",{class:"chip",children:r},r))]}),
e.steps!==void 0&&t("ol",{class:"plan-steps",children:[...e.steps].sort((r,s)=>(r.order??0)-(s.order??0)||(s.priority??0)-(r.priority??0)).map((r,s)=>t("li",{children:[
r.interface,".",r.step," ",Object.keys(r.args??{}).length>0&&t("code",{class:"faint",children:JSON.stringify(r.args)})]},s))}),e.conditions!==void 0&&t("p",{children:[
t("strong",{children:"If"})," ",e.conditions.length===0?"always":e.conditions.map(r=>ga(r)).join(" and ")]}),e.actions!==void 0&&t("p",{children:[t("strong",{children:"\
then"})," ",e.actions.map(r=>ga(r)).join(", ")]}),n&&t("pre",{class:"json",children:JSON.stringify(e,null,2)})]})}function ga(e){let{op:n,args:o,...r}=e,s=typeof o==
"object"&&o!==null?Object.entries(o):[],a=Object.entries(r).filter(([,i])=>i!==null&&i!==!1&&i!=="any");return`${String(n)} ${[...s,...a].map(([i,l])=>`${i} ${typeof l==
"string"?l:JSON.stringify(l)}`).join(", ")}`}function va(){return t(zo,{title:"Deploy templates",path:"/v1/deploy_templates",key_:"deploy_templates",command:"co\
rten deploy template list",none:"A deploy template adds steps to deployments of instances that ask for its trait."})}function ba(){return t(zo,{title:"Runbooks",
path:"/v1/runbooks",key_:"runbooks",command:"corten runbook list",none:"A runbook is a list of steps for cleaning and servicing, with a name."})}function ya(){return t(
zo,{title:"Inspection rules",path:"/v1/inspection_rules",key_:"inspection_rules",command:"corten inspection rule list",none:"An inspection rule changes a node b\
y what inspection found."})}function _a(){return t(U,{title:"There is no such screen",children:t("p",{children:[t("a",{href:M([]),children:"Go to the fleet"}),", or press ",t("kbd",{children:"\
Ctrl K"})," to find something."]})})}function wa(){let e=D("/corten/v1/webhooks",{every:5e3}),[n,o]=g(null);return t("div",{class:"stack",children:[t("div",{class:"page-head",children:[t("h1",{children:"\
Webhooks"}),t("span",{class:"spring"}),t(ue,{commands:{corten:"corten webhook list",curl:re("GET","/corten/v1/webhooks")}})]}),t(z,{doc:e,lines:5,children:r=>r.
webhooks.length===0?t(U,{title:"No webhooks",children:[t("p",{children:"A webhook has every event posted to an address of yours, in order and at least once."}),
t("code",{children:"corten webhook create URL"})]}):t("div",{class:"cards",children:r.webhooks.map(s=>t(rc,{one:s,onLetters:()=>o(s),reload:e.reload},s.uuid))})}),
n!==null&&t(sc,{webhook:n,onClose:()=>o(null)})]})}function rc({one:e,onLetters:n,reload:o}){let[r,s]=g(!1),a=`/corten/v1/webhooks/${$(e.uuid)}`,i=Math.max(0,Ae.
value-e.cursor),l=e.enabled?e.failures>0?"failed":"in_use":"held",c=async()=>{s(!0);try{let u=await O("POST",`${a}/test`);u?.delivered===!0?W(`Delivered: status\
 ${u.status??""}, ${u.duration_ms} ms.`):K("The test was not delivered",new Error(u?.error??"no reason is known"))}catch(u){K("The test was refused",u)}s(!1)},d=async()=>{
try{await O("PATCH",a,{enabled:!e.enabled}),o()}catch(u){K("The change was refused",u)}};return t(P,{level:3,title:t(S,{children:[t(G,{look:l})," ",e.description??
e.url]}),children:[t(ge,{rows:[["Address",t("code",{children:e.url})],["State",e.enabled?e.failures>0?`failed ${pe(e.failures,"time")}`:"delivering":`disabled${e.
disabled_reason===null?"":`: ${e.disabled_reason}`}`],["Behind",i===0?"nothing":pe(i,"event")],["Kinds",e.kinds.length===0?"all":e.kinds.join(", ")],["Node",e.node],
["Project",e.project],["Last success",e.last_success===null?null:t(we,{at:e.last_success,ago:!0})],["Next attempt",e.next_attempt===null?null:`in ${xe(new Date().
toISOString(),Date.parse(e.next_attempt))}`],["Last error",e.last_error===null?null:t("span",{class:"wrong",children:e.last_error})],["Sender",e.sender]]}),t("p",
{class:"row",children:[t(w,{small:!0,busy:r,why:te(ce.value,"corten:webhook:test"),onClick:()=>{c()},children:"Test"}),t(w,{small:!0,onClick:n,children:"Dead le\
tters"}),t(w,{small:!0,kind:"quiet",why:te(ce.value,"corten:webhook:update"),onClick:()=>{d()},children:e.enabled?"Disable":"Enable"})]})]})}function sc({webhook:e,
onClose:n}){let o=`/corten/v1/webhooks/${$(e.uuid)}`,r=D(`${o}/dead-letters`),s=async l=>{try{await O("POST",`${o}/replay`,l),W("They are delivered once more."),
r.reload()}catch(c){K("The replay was refused",c)}},a=te(ce.value,"corten:webhook:replay"),i=r.data.value?.dead_letters.length??0;return t(oe,{wide:!0,title:`De\
ad letters of ${e.description??e.url}`,onClose:n,foot:t(S,{children:[t(w,{onClick:n,children:"Close"}),t(w,{kind:"main",why:a??(i===0?"there are none":null),onClick:()=>{
s({dead_letters:!0})},children:"Deliver all again"})]}),children:t(z,{doc:r,children:l=>l.dead_letters.length===0?t(U,{title:"Everything was delivered",children:"\
Events that could not be delivered after all attempts are put aside here."}):t("div",{class:"scroll-x",children:t("table",{class:"table",children:[t("thead",{children:t(
"tr",{children:[t("th",{scope:"col",class:"num",children:"cursor"}),t("th",{scope:"col",children:"event"}),t("th",{scope:"col",class:"num",children:"attempts"}),
t("th",{scope:"col",children:"why not"}),t("th",{scope:"col"})]})}),t("tbody",{children:l.dead_letters.map(c=>t("tr",{children:[t("td",{class:"num",children:I(c.
cursor)}),t("td",{children:[c.event.node_name??""," ",c.event.kind??""," ",c.event.text??""]}),t("td",{class:"num",children:c.attempts}),t("td",{class:"wrong wr\
ap",children:c.last_error}),t("td",{children:t(w,{small:!0,kind:"quiet",why:a??(c.replay?"it is being delivered":null),onClick:()=>{s({dead_letter:c.cursor})},children:"\
Again"})})]},c.cursor))})]})})})})}function ac(e){return/[\s:"]/.test(e)?`"${e.replaceAll('"',"")}"`:e}function ka(){let[e,n]=g(""),[o,r]=g([]),[s,a]=g(0),i=J(null),l=()=>xt.value=!1;L(()=>{let f=e.
trim();if(a(0),f===""){r([]);return}let k=new AbortController,C=window.setTimeout(()=>{X(`/corten/v1/nodes?limit=8&q=${$(ac(f))}`,k.signal).then(x=>r(x.nodes),()=>r(
[]))},120);return()=>{window.clearTimeout(C),k.abort()}},[e]);let c=e.trim().toLowerCase(),d=f=>c===""||f.toLowerCase().includes(c),u=Oe.value[0]==="nodes"?Oe.value[1]:
void 0,m=[...o.map(f=>({id:f.uuid,kind:"Node",label:f.name??f.uuid,row:f,run:()=>le(M(["nodes",f.name??f.uuid]))})),...u===void 0?[]:st.filter(f=>d(f.label)).map(
f=>({id:`verb-${f.verb}`,kind:"Verb",label:`${f.label} ${u}`,run:()=>le(M(["nodes",u],{do:f.verb}))})),...Yo.filter(f=>d(f.label)).map(f=>({id:`screen-${f.word}`,
kind:"Screen",label:f.label,run:()=>le(M(f.word===""?[]:[f.word]))})),...He.value.filter(f=>d(f.name)).map(f=>({id:`view-${f.name}`,kind:"View",label:f.name,run:()=>le(
M(["nodes"],{q:f.q,sort:f.sort}))})),...c===""?[]:[{id:"search",kind:"Filter",label:`Nodes that match ${e.trim()}`,run:()=>le(M(["nodes"],{q:e.trim()}))}]],h=Math.
min(s,m.length-1),p=f=>{f!==void 0&&(l(),f.run())};return L(()=>{i.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({block:"nearest"})},[h]),t(oe,
{title:"Find",onClose:l,class:"palette",children:[t("input",{class:"input palette-input",placeholder:"Name, MAC, address, screen or verb","aria-label":"Find",role:"\
combobox","aria-expanded":"true","aria-controls":"palette-list","aria-activedescendant":m[h]===void 0?void 0:`palette-${h}`,autofocus:!0,autocomplete:"off",spellcheck:!1,
value:e,onInput:f=>n(f.currentTarget.value),onKeyDown:f=>{if(f.key==="ArrowDown")a(Math.min(h+1,m.length-1));else if(f.key==="ArrowUp")a(Math.max(h-1,0));else if(f.
key==="Enter")p(m[h]);else return;f.preventDefault()}}),t("ul",{class:"palette-list",role:"listbox",id:"palette-list","aria-label":"Found",ref:i,children:m.map(
(f,k)=>t("li",{id:`palette-${k}`,role:"option","aria-selected":k===h,class:"palette-row",onMouseMove:()=>a(k),onClick:()=>p(f),children:[t("span",{class:"palett\
e-kind",children:f.kind}),t("span",{class:"palette-label",children:f.label}),f.row!==void 0&&t(et,{state:f.row.provision_state,maintenance:f.row.maintenance})]},
f.id))}),m.length===0&&t("p",{class:"faint palette-none",children:"Nothing has this in its name."})]})}function xa(){let[e,n]=g(),[o,r]=g("password"),[s,a]=g({user_domain:"Default",project_domain:"Default"}),[i,l]=g(null),[c,d]=g(!1);L(()=>{X("/corten/v1/session").
then(n,()=>n({mode:"http_basic",is_signed_in:!1}))},[]);let u=(p,f,k="text",C=!1)=>t(H,{label:f,children:x=>t("input",{id:x,class:"input",type:k,name:p,autofocus:C,
autocomplete:k==="password"?"current-password":p==="username"?"username":"off",value:s[p]??"",onInput:b=>{let{value:v}=b.currentTarget;a(_=>({..._,[p]:v}))}})},
p),m=()=>{if(e?.mode!=="keystone")return{username:s.username,password:s.password};if(o==="token")return{token:s.token};if(o==="credential")return{application_credential:{
id:s.id,secret:s.secret}};let p={username:s.username,password:s.password,user_domain:s.user_domain},f=s.project??"";return f===""?{...p,system:!0}:{...p,project:f,
project_domain:s.project_domain}},h=async()=>{d(!0),l(null);try{await Kr(m())}catch(p){l(p instanceof Se&&p.status===401?"Name or password is wrong.":p instanceof
Error?p.message:String(p))}d(!1)};return t(oe,{title:"Sign in to Corten",onClose:()=>{},class:"signin",children:t("form",{class:"form",onSubmit:p=>{p.preventDefault(),
h()},children:[e?.mode==="keystone"&&t("div",{class:"segmented",role:"radiogroup","aria-label":"Sign in by",children:["password","token","credential"].map(p=>t(
"label",{children:[t("input",{type:"radio",name:"way",checked:o===p,onChange:()=>r(p)}),t("span",{children:p==="credential"?"application credential":p})]},p))}),
(e?.mode!=="keystone"||o==="password")&&t(S,{children:[u("username","Name","text",!0),u("password","Password","password")]}),e?.mode==="keystone"&&o==="password"&&
t("div",{class:"pair",children:[u("user_domain","Domain of the user"),u("project","Project (empty: the system)")]}),e?.mode==="keystone"&&o==="token"&&u("token",
"Token","password",!0),e?.mode==="keystone"&&o==="credential"&&t(S,{children:[u("id","Id","text",!0),u("secret","Secret","password")]}),i!==null&&t("p",{class:"\
wrong",role:"alert",children:i}),t(w,{kind:"main",type:"submit",busy:c,children:"Sign in"})]})})}var Qo=[{word:"",label:"Fleet",key:"f"},{word:"nodes",label:"Nodes",key:"n"},{word:"events",label:"Events",key:"e"},{word:"conductors",label:"Conductors",key:"c"},
{word:"allocations",label:"Allocations",key:"a"}],Sa=[{word:"batches",label:"Batches"},{word:"enrol",label:"Enrol machines"},{word:"templates",label:"Deploy tem\
plates"},{word:"runbooks",label:"Runbooks"},{word:"rules",label:"Inspection rules"},{word:"webhooks",label:"Webhooks"},{word:"me",label:"Me and my rules"}],Yo=[
...Qo,...Sa];function Ca({children:e}){let n=Oe.value[0]??"";L(()=>(document.addEventListener("keydown",Ro),document.addEventListener("click",yo),()=>{document.
removeEventListener("keydown",Ro),document.removeEventListener("click",yo)}),[]);let o=Oe.value.join("/");L(()=>{let s=Yo.find(a=>a.word===n);Oe.value[1]===void 0&&
(document.title=s===void 0?"Corten":`${s.label} \xB7 Corten`),document.activeElement===document.body&&document.getElementById("main")?.focus({preventScroll:!0})},
[o]),qe([...Qo.map(s=>({keys:`g ${s.key}`,about:`go to ${s.label.toLowerCase()}`,run:()=>le(M(s.word===""?[]:[s.word]))})),{keys:"?",about:"show these keys",run:()=>sn.
value=!0}]);let r=ke.value==="lost";return t(S,{children:[t("a",{class:"skip",href:"#main",children:"Skip to content"}),t("header",{class:"bar",children:[t("a",
{class:"brand",href:M([]),children:[t("span",{class:"brand-mark","aria-hidden":"true",children:[t("i",{}),t("i",{}),t("i",{})]}),"Corten"]}),t("nav",{class:"nav",
"aria-label":"Screens",children:Qo.map(s=>t("a",{class:"nav-link",href:M(s.word===""?[]:[s.word]),"aria-current":n===s.word?"page":void 0,children:s.label},s.word))}),
t("div",{class:"bar-end",children:[t("button",{type:"button",class:"button button-quiet find",onClick:()=>xt.value=!0,children:[t(R,{name:"search"})," ",t("span",
{class:"find-word",children:"Find"})," ",t("kbd",{children:"Ctrl K"})]}),t(ic,{}),t(cc,{})]})]}),ce.value?.mode==="noauth"&&t("p",{class:"banner",children:[t(R,
{name:"lock"})," No sign-in is set up: everybody who reaches this service may do everything."]}),r&&t(lc,{}),t("main",{id:"main",class:r?"main main-stale":"main",
tabIndex:-1,children:e}),t(Wr,{}),xt.value&&t(ka,{}),sn.value&&t(dc,{}),Xe.value&&t(xa,{})]})}function ic(){let e={connecting:"connecting",live:"live",lost:"con\
nection lost",paused:"paused"};return t("span",{class:`live live-${ke.value}`,title:e[ke.value],children:[t("span",{class:"live-dot","aria-hidden":"true"}),t("s\
pan",{class:"live-word",children:e[ke.value]})]})}function lc(){let e=(gt.value-en.value)/1e3;return t("div",{class:"lost",role:"alert",children:[t(R,{name:"war\
n"}),t("span",{children:["The service does not answer. What you see is from"," ",t("time",{dateTime:new Date(en.value).toISOString(),title:vt(new Date(en.value).
toISOString()),children:[_e(e)," ago"]}),"."]}),t(w,{small:!0,onClick:Pn,children:"Try now"})]})}function cc(){let e=ce.value,n=[...Sa.map(r=>({label:r.label,onPick:()=>le(
M([r.word]))})),{label:"Light",checked:Ue.value==="light",onPick:()=>Ot("light")},{label:"Dark",checked:Ue.value==="dark",onPick:()=>Ot("dark")},{label:"As the \
system",checked:Ue.value==="system",onPick:()=>Ot("system")},{label:"Letters are keys",checked:Ie.value,onPick:()=>Ie.value=!Ie.value},{label:"Keyboard",onPick:()=>sn.
value=!0},...e!==void 0&&e.mode!=="noauth"?[{label:"Sign out",onPick:()=>{Vr().catch(r=>K("Signing out failed",r))}}]:[]],o=Ln(e);return t(Ke,{kind:"quiet",right:!0,
name:o===""?"Menu":`Menu of ${o}`,label:t("span",{class:"who",children:o===""?"Menu":o}),choices:n})}var uc=[["Ctrl K","find a node, a screen or a command"],["E\
sc","close, then clear"]];function dc(){let e=new Map(uc);for(let n of No())e.set(n.keys===" "?"Space":n.keys,n.about);return t(oe,{title:"Keys of this screen",
onClose:()=>sn.value=!1,children:[t("dl",{class:"keys",children:[...e].map(([n,o])=>t("div",{class:"keys-row",children:[t("dt",{children:n.split(" ").map(r=>t("\
kbd",{children:r},r))}),t("dd",{children:o})]},n))}),!Ie.value&&t("p",{class:"faint",children:"Single letters are switched off; the menu switches them on."})]})}function pc(){let[e,n]=Oe.value;switch(e){case void 0:return t(Rs,{});case"nodes":return n===void 0?t(ha,{}):t(la,{ident:n},n);case"batches":return n===void 0?t(
as,{}):t(is,{uuid:n},n);case"events":return t(Ss,{});case"conductors":return t(us,{});case"allocations":return t(Xr,{});case"enrol":return t(bs,{});case"templat\
es":return t(va,{});case"runbooks":return t(ba,{});case"rules":return t(ya,{});case"webhooks":return t(wa,{});case"me":return t(Ls,{});default:return t(_a,{})}}
function fc(){return t(Ca,{children:t($n,{children:t(pc,{})},Oe.value.join("/"))})}var Ta=document.getElementById("app");Ta!==null&&fr(t(fc,{}),Ta);Rn();Hr();
